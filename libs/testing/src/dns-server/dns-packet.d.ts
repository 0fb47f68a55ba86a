declare module 'dns-packet' {
  interface Question {
    name: string;
    type: string;
    class?: string;
  }
  interface Answer extends Question {
    ttl: number;
    data: string | string[] | { preference: number; exchange: string };
  }
  interface Packet {
    type?: 'query' | 'response';
    id?: number;
    flags?: number;
    questions?: Question[];
    answers?: Answer[];
  }
  const RECURSION_DESIRED: number;
  const RECURSION_AVAILABLE: number;
  const TRUNCATED_RESPONSE: number;
  function encode(packet: Packet): Buffer;
  function decode(message: Uint8Array): Packet;
}
