import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDocumentBudget, type DocumentBudget } from '../../src/client-documents/document-budget.ts';
import type { DocumentFault } from '../../src/client-documents/document-fault.ts';
import { createClientDocumentsRoom } from '../../src/client-documents/room.ts';
import { start } from '../support/builders.ts';
import { silentLog } from '../support/stores.ts';

describe('the start', () => {
  it.each([
    ['open', ['CLIENT_ID_METADATA is open: every https URL may be a client, and this server reads the document there']],
    ['listed', []],
    ['off', []],
  ] as const)(
    'with CLIENT_ID_METADATA %s says what that means in one line, where it means much',
    (clientIdMetadata, lines) => {
      const said: string[] = [];
      const log = { ...silentLog, info: (line: unknown) => void said.push(String(line)) };
      const config = { clientIdMetadata, clientIdMetadataUrls: [] };
      createClientDocumentsRoom({ config, clock: Date.now, log, registration: {} } as never);
      expect(said).toEqual(lines);
    },
  );
});

describe('the calls for metadata documents', () => {
  let now: number;
  let budget: DocumentBudget;
  beforeEach(() => {
    now = start - (start % 60_000);
    const taken = new Map<string, number>();
    const requestBudgets = {
      async take(key: Buffer, { limit }: { limit: number }) {
        const used = taken.get(key.toString('hex')) ?? 0;
        taken.set(key.toString('hex'), used + 1);
        return used < limit;
      },
    };
    budget = createDocumentBudget({ requestBudgets, clock: () => now });
  });

  const spend = (address: string, isKnown = false, url = `https://a.example/${randomUUID()}`) =>
    budget.spend(url, { address, isKnown }).then(
      () => 'spent',
      ({ kind, retryAfter }: DocumentFault) => `${kind}, wait ${retryAfter} s`,
    );
  const spendAll = async (times: number, addressOf: (turn: number) => string, isKnown = false) => {
    const found = [];
    for (let turn = 0; turn < times; turn += 1) found.push(await spend(addressOf(turn), isKnown));
    return new Set(found);
  };
  const eachFromElsewhere = (turn: number) => `10.0.${turn >> 8}.${turn & 255}`;

  it('are one a second for a URL', async () => {
    const again = () => spend('192.0.2.1', false, 'https://a.example/same');
    expect([await again(), await again()]).toEqual(['spent', 'limited, wait 1 s']);
    now += 1_000;
    expect(await again()).toBe('spent');
  });

  it('are 30 a minute for a network, where its URLs are unknown', async () => {
    expect(await spendAll(30, () => '192.0.2.1')).toEqual(new Set(['spent']));
    expect(await spend('192.0.2.1')).toBe('limited, wait 60 s');
    expect([await spend('192.0.2.1', true), await spend('192.0.2.2')]).toEqual(['spent', 'spent']);
    now += 60_000;
    expect(await spend('192.0.2.1')).toBe('spent');
  });

  it('are 300 a minute for a process, and 300 of their own for known URLs', async () => {
    expect(await spendAll(300, eachFromElsewhere)).toEqual(new Set(['spent']));
    expect(await spend('192.0.2.1')).toBe('limited, wait 60 s');
    expect(await spendAll(300, () => '192.0.2.1', true)).toEqual(new Set(['spent']));
    expect(await spend('192.0.2.1', true)).toBe('limited, wait 60 s');
  });

  it('of a network that used up its own take none of the process', async () => {
    await spendAll(400, () => '192.0.2.1');
    expect(await spendAll(270, eachFromElsewhere)).toEqual(new Set(['spent']));
  });
});
