import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

export type NameServer = Awaited<ReturnType<typeof startNameServer>>;

/** RFC 1035 3.2.2, RFC 3596 2.1. */
const typeOfSix = 28;

/** A name server by UDP that knows these names. It never answers what it does not know. */
export async function startNameServer(names: Readonly<Record<string, readonly string[]>>) {
  const asked: string[] = [];
  const socket = createSocket('udp4', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    const found = names[name];
    if (found === undefined) return;
    const records = found.filter((one) => isIPv6(one) === (type === typeOfSix)).map((one) => buildRecord(one, type));
    const header = Buffer.alloc(12);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    // RFC 1035 4.1.1: an answer without error, of one question.
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address);
  });
  await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve));
  return { asked, address: `127.0.0.1:${socket.address().port}`, close: () => void socket.close() };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query.readUInt8(at) > 0) {
    const next = at + 1 + query.readUInt8(at);
    labels.push(query.toString('latin1', at + 1, next));
    at = next;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Of the name that stands in the question. */
function buildRecord(address: string, type: number): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}
