import { Parser } from 'htmlparser2';
import { Unreadable } from './unpack.js';

/** What an element contains: elements by their names, each as often as it occurs, or its text. */
export interface XmlElement {
  children: Map<string, XmlElement[]>;
  text: string;
}

const maxDepth = 20;
const maxText = 1_000;

/** Without attributes and name spaces; entities stay as they are written. @throws Unreadable where a tag is not closed. */
export function xmlElements(xml: string): XmlElement {
  const root: XmlElement = { children: new Map(), text: '' };
  const open = [root];
  const parser = new Parser(
    {
      onopentagname: (name) => {
        if (open.length > maxDepth) throw new Unreadable('its tags are nested too deep');
        const element: XmlElement = { children: new Map(), text: '' };
        const siblings = open.at(-1)!.children;
        const local = name.slice(name.indexOf(':') + 1);
        const named = siblings.get(local);
        if (named) named.push(element);
        else siblings.set(local, [element]);
        open.push(element);
      },
      onclosetag: () => {
        open.pop();
      },
      ontext: (text) => {
        const element = open.at(-1)!;
        if (element.text.length < maxText) element.text += text.slice(0, maxText);
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  parser.write(xml);
  if (open.length > 1) throw new Unreadable('it has a tag that is not closed');
  parser.end();
  return root;
}
