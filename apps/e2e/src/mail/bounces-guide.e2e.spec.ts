import { testShellGuide } from '../testing/shell-guide.js';

testShellGuide('bounces');
