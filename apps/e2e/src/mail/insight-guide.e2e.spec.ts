import { chooseQuietPort } from '@posthorn/dev';
import { testShellGuide } from '../testing/shell-guide.js';

testShellGuide('insight', { inboundPort: await chooseQuietPort() });
