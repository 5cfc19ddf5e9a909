import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createFairQueue } from '../src/fair-queue.ts';
import type { Turn } from '../src/turn.ts';

const wideOf = (network: string) => (network.includes(':') ? network.split(':', 3).join(':') : network);
const turnAt = (network: string) => ({ network, wideNetwork: wideOf(network) });
const stranger = (network: string): Turn => ({ kind: 'check', known: undefined, ...turnAt(network) });
const known = (name: string, network = '203.0.113.1'): Turn => ({ kind: 'check', known: name, ...turnAt(network) });
const chore = (network = '198.18.0.1'): Turn => ({ kind: 'chore', known: undefined, ...turnAt(network) });

/** A queue whose work ends when the test says so, each taking 10 ms. */
function createLab(concurrency = 1, maxWait = 5_000) {
  let time = 0;
  const log: string[] = [];
  const refusals: string[] = [];
  const observed: string[] = [];
  const running: { name: string; end(): void }[] = [];
  const queue = createFairQueue({
    concurrency,
    maxWait,
    now: () => time,
    refuse: () => new Error('refused'),
    observer: {
      waited: (seconds) => observed.push(`waited ${seconds}`),
      ran: (seconds) => observed.push(`ran ${seconds}`),
      gaveUp: () => observed.push('gave up'),
      refused: () => observed.push('refused'),
    },
  });
  const ask = (name: string, turn: Turn, turns?: number) => {
    const work = () => new Promise<void>((end) => void running.push({ name, end }));
    queue.run(turn, work, turns).then(
      () => log.push(name),
      (error: Error) => refusals.push(error.message === 'refused' ? name : error.message),
    );
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    queue,
    ask,
    refusals,
    observed,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    /** Ends what runs, again and again; gives the names in the order in which they ran. */
    async finish(pieces = Number.POSITIVE_INFINITY): Promise<string[]> {
      await settle();
      for (let ended = 0; ended < pieces && running.length > 0; ended += 1) {
        time += 10;
        running.shift()?.end();
        await settle();
      }
      return log.splice(0);
    },
    async namesRunning() {
      await settle();
      return running.map(({ name }) => name);
    },
  };
}

describe('the queue for slow hashes', () => {
  it('gives known callers two of four turns, a stranger one and a chore one, in the order of each lane', async () => {
    const lab = createLab();
    lab.ask('running', chore());
    for (let i = 1; i <= 3; i += 1) {
      for (const [name, turn] of [
        ['stranger', stranger(`192.0.2.${i}`)],
        ['chore', chore(`198.18.0.${i}`)],
        ['known', known(`a${i}`)],
        ['other known', known(`b${i}`)],
      ] as const)
        lab.ask(`${name} ${i}`, turn);
    }
    expect(await lab.finish()).toEqual([
      ...['running', 'known 1', 'stranger 1', 'other known 1', 'chore 1'],
      ...['known 2', 'stranger 2', 'other known 2', 'chore 2'],
      ...['known 3', 'stranger 3', 'other known 3', 'chore 3'],
    ]);
  });

  it.each([
    [
      'chores',
      chore,
      [
        ['s1', 'w1', 's2', 'w2'],
        ['w3', 'w4'],
      ],
    ],
    [
      'known callers',
      (network: string) => known(network),
      [
        ['w1', 's1', 'w2', 'w3'],
        ['s2', 'w4'],
      ],
    ],
  ] as const)('leaves the place of an empty lane to the next one: strangers and %s', async (_who, turn, order) => {
    const lab = createLab();
    lab.ask('running', chore());
    for (let i = 1; i <= 4; i += 1) lab.ask(`w${i}`, turn(`198.18.0.${i}`));
    for (let i = 1; i <= 2; i += 1) lab.ask(`s${i}`, stranger(`192.0.2.${i}`));
    expect((await lab.finish()).slice(1)).toEqual(order.flat());
  });

  it('lets one known caller have four pieces in hand, from whatever networks; the rest waits as one stranger', async () => {
    const lab = createLab();
    for (let i = 1; i <= 8; i += 1) lab.ask(`a${i}`, known('a', `203.0.113.${i}`));
    for (let i = 1; i <= 3; i += 1) lab.ask(`stranger ${i}`, stranger(`192.0.2.${i}`));
    lab.ask('b1', known('b'));
    // The four in hand take turns with b; then what is left of a is one party of four among strangers.
    expect(await lab.finish()).toEqual([
      ...['a1', 'a5', 'a2', 'b1', 'stranger 1', 'a3', 'a4', 'stranger 2'],
      ...['stranger 3', 'a6', 'a7', 'a8'],
    ]);
    expect(lab.refusals).toEqual([]);
  });

  it('counts what is left of a known caller, to the last piece', async () => {
    const lab = createLab();
    for (let i = 1; i <= 4; i += 1) lab.ask(`a${i}`, known('a'));
    expect(await lab.finish(3)).toEqual(['a1', 'a2', 'a3']);
    lab.ask('stranger', stranger('192.0.2.1'));
    for (let i = 5; i <= 8; i += 1) lab.ask(`a${i}`, known('a'));
    expect(await lab.finish()).toEqual(['a4', 'a5', 'stranger', 'a6', 'a7', 'a8']);
  });

  it('lets chores take turns by network', async () => {
    const lab = createLab();
    lab.ask('running', chore());
    for (let i = 1; i <= 30; i += 1) lab.ask(`import ${i}`, chore('198.18.0.2'));
    lab.ask('own password', chore('192.0.2.1'));
    expect((await lab.finish()).indexOf('own password')).toBe(2);
  });

  it.each([
    ['chores', (i: number) => chore(`198.18.1.${i % 250}`)],
    ['known callers', (i: number) => known(`a${i}`)],
  ])('lets 512 %s wait', async (_who, turn) => {
    const lab = createLab();
    lab.ask('running', chore());
    for (let i = 1; i <= 514; i += 1) lab.ask(`${i}`, turn(i));
    await lab.namesRunning();
    expect(lab.refusals).toEqual(['513', '514']);
  });

  it('refuses what waited too long although nothing that runs ends', async () => {
    const lab = createLab(1, 20);
    lab.ask('running', chore());
    for (const turn of [known('a'), stranger('192.0.2.1'), chore()]) lab.ask(turn.kind + turn.network, turn);
    await sleep(200);
    expect(lab.refusals.sort()).toEqual(['check192.0.2.1', 'check203.0.113.1', 'chore198.18.0.1']);
    expect(lab.queue.waiting()).toBe(0);
    expect(await lab.finish()).toEqual(['running']);
  });

  it('runs a stranger beside one who succeeded before from the same network', async () => {
    const lab = createLab(2);
    const { network } = known('a');
    lab.ask('known', known('a'));
    lab.ask('stranger', stranger(network));
    expect(await lab.namesRunning()).toEqual(['known', 'stranger']);
    expect(await lab.finish()).toEqual(['known', 'stranger']);
  });

  it('gives each network one turn before any has a second one', async () => {
    const lab = createLab();
    for (let i = 1; i <= 30; i += 1) lab.ask(`many ${i}`, stranger('192.0.2.1'));
    lab.ask('one', stranger('192.0.2.2'));
    lab.ask('other', stranger('192.0.2.3'));
    expect((await lab.finish()).slice(0, 5)).toEqual(['many 1', 'many 2', 'one', 'other', 'many 3']);
  });

  it('counts the /64s of one /48 as one network among the others, and is fair among them', async () => {
    const lab = createLab();
    lab.ask('running', chore());
    for (let i = 0; i < 30; i += 1) lab.ask(`flood ${i}`, stranger(`2001:db8:1:${i}`));
    lab.ask('flood 0 again', stranger('2001:db8:1:0'));
    lab.ask('customer', stranger('2001:db8:2:0'));
    lab.ask('other', stranger('192.0.2.1'));
    const order = await lab.finish();
    expect(order.slice(1, 6)).toEqual(['flood 0', 'customer', 'other', 'flood 1', 'flood 2']);
    expect(order.at(-1)).toBe('flood 0 again');
  });

  it('runs one piece of work of a network at a time, however many may run', async () => {
    const lab = createLab(3);
    for (let i = 1; i <= 3; i += 1) lab.ask(`a${i}`, stranger('192.0.2.1'));
    expect(await lab.namesRunning()).toEqual(['a1']);
    lab.ask('b1', stranger('192.0.2.2'));
    expect(await lab.namesRunning()).toEqual(['a1', 'b1']);
    expect(await lab.finish()).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('refuses a network at once when its turn would come late, and lets networks that wait already go on', async () => {
    const lab = createLab();
    for (let i = 0; i < 200; i += 1) lab.ask(`n${i}`, stranger(`198.51.100.${i}`));
    await lab.namesRunning();
    // One runs, and fifty of 15 ms each fit into 750 ms.
    expect(lab.refusals).toEqual(Array.from({ length: 149 }, (_, index) => `n${index + 51}`));
    lab.ask('n1 again', stranger('198.51.100.1'));
    lab.ask('known', known('a'));
    const order = await lab.finish();
    expect(order).toContain('n1 again');
    expect(order.indexOf('known')).toBe(1);
    lab.ask('later', stranger('198.51.100.199'));
    expect(await lab.finish()).toEqual(['later']);
  });

  it.each([
    ['with the pieces that may run at the same time', 2, 0, 100],
    ['with how long the last piece took', 1, 105, 30],
  ])('lets more or fewer networks wait %s', async (_what, concurrency, longer, most) => {
    const lab = createLab(concurrency);
    if (longer > 0) {
      lab.ask('measured', chore());
      lab.pass(longer);
      await lab.finish();
    }
    for (let i = 0; i < 200; i += 1) lab.ask(`n${i}`, stranger(`198.51.100.${i}`));
    await lab.namesRunning();
    expect(lab.queue.waiting()).toBe(most);
  });

  it('takes a stranger where nobody waits, also after work that took very long', async () => {
    const lab = createLab();
    lab.ask('stalled', stranger('192.0.2.1'));
    lab.pass(60_000);
    expect(await lab.finish()).toEqual(['stalled']);
    lab.ask('next', stranger('192.0.2.2'));
    expect(await lab.finish()).toEqual(['next']);
    expect(lab.refusals).toEqual([]);
  });

  it('refuses what one network asks beyond its share, and keeps room for others', async () => {
    const lab = createLab();
    for (let network = 1; network <= 4; network += 1) {
      for (let i = 0; i < 200; i += 1) lab.ask(`${network}.${i}`, stranger(`192.0.2.${network}`));
    }
    await lab.namesRunning();
    expect(lab.queue.waiting()).toBe(512);
    const refusedBefore = lab.refusals.length;
    lab.ask('newcomer', stranger('203.0.113.9'));
    await lab.namesRunning();
    expect(lab.refusals.slice(refusedBefore)).toHaveLength(1);
    expect(lab.refusals).not.toContain('newcomer');
    expect((await lab.finish()).indexOf('newcomer')).toBeLessThan(7);
  });

  it('lets 128 pieces of work of one network wait', async () => {
    const lab = createLab();
    lab.ask('running', chore());
    for (let i = 1; i <= 130; i += 1) lab.ask(`${i}`, stranger('192.0.2.1'));
    await lab.namesRunning();
    expect(lab.refusals).toEqual(['129', '130']);
  });

  it('makes room at the cost of the network that has the most waiting, wherever it stands', async () => {
    const lab = createLab();
    lab.ask('running', chore());
    for (const [network, count] of [
      [1, 127],
      [2, 128],
      [3, 127],
      [4, 127],
      [5, 3],
    ] as const) {
      for (let i = 1; i <= count; i += 1) lab.ask(`${network}.${i}`, stranger(`192.0.2.${network}`));
    }
    await lab.namesRunning();
    expect([lab.queue.waiting(), lab.refusals]).toEqual([512, []]);
    lab.ask('newcomer', stranger('203.0.113.9'));
    await lab.namesRunning();
    expect([lab.queue.waiting(), lab.refusals]).toEqual([512, ['2.128']]);
    await lab.finish();
    expect(lab.queue.waiting()).toBe(0);
  });

  it.each([
    ['the /64 that has the most waiting', [20, 80, 28], '1.80'],
    ['the first of the /64s that have as many', Array<number>(128).fill(1), '0.1'],
    ['the /64 that has two, and keeps the other', [1, 2, ...Array<number>(125).fill(1)], '1.2'],
  ])('makes room in a /48 at the cost of %s', async (_which, ofFlood, dropped) => {
    const lab = createLab();
    lab.ask('running', chore());
    for (const [subnet, count] of ofFlood.entries()) {
      for (let i = 1; i <= count; i += 1) lab.ask(`${subnet}.${i}`, stranger(`2001:db8:1:${subnet}`));
    }
    for (const [network, count] of [127, 127, 127, 3].entries()) {
      for (let i = 1; i <= count; i += 1) lab.ask(`other ${network}.${i}`, stranger(`192.0.2.${network}`));
    }
    lab.ask('newcomer', stranger('203.0.113.9'));
    await lab.namesRunning();
    expect([lab.queue.waiting(), lab.refusals]).toEqual([512, [dropped]]);
    await lab.finish();
    expect(lab.queue.waiting()).toBe(0);
  });

  it('makes room for a network that has less than the largest would keep, and for no other', async () => {
    const lab = createLab();
    lab.ask('running', chore());
    for (const [network, count] of [128, 128, 128, 126, 2].entries()) {
      for (let i = 1; i <= count; i += 1) lab.ask(`${network}.${i}`, stranger(`192.0.2.${network}`));
    }
    await lab.namesRunning();
    expect([lab.queue.waiting(), lab.refusals]).toEqual([512, []]);
    for (const name of ['3.127', '3.128']) lab.ask(name, stranger('192.0.2.3'));
    await lab.namesRunning();
    expect(lab.refusals).toEqual(['0.128', '3.128']);
  });

  it('gives up what waited too long, and goes on with the rest', async () => {
    const lab = createLab();
    lab.ask('running', chore());
    lab.ask('late', stranger('192.0.2.1'));
    lab.ask('late too', known('a'));
    lab.pass(4_995);
    lab.ask('in time', stranger('192.0.2.1'));
    expect(await lab.finish()).toEqual(['running', 'in time']);
    expect(lab.refusals).toEqual(['late too', 'late']);
    for (let i = 1; i <= 4; i += 1) lab.ask(`a${i}`, known('a'));
    expect(await lab.finish()).toHaveLength(4);
  });

  it('tells how long work waited and took in seconds, and what it gave up or refused', async () => {
    const lab = createLab();
    lab.pass(2_000);
    lab.ask('first', known('a'));
    lab.pass(240);
    lab.ask('second', known('a'));
    await lab.finish();
    expect(lab.observed).toEqual(['waited 0', 'ran 0.25', 'waited 0.01', 'ran 0.01']);
    lab.observed.length = 0;
    for (let i = 1; i <= 130; i += 1) lab.ask(`b${i}`, stranger('192.0.2.1'));
    expect(lab.observed).toEqual(['waited 0', 'refused']);
    lab.pass(6_000);
    await lab.finish();
    expect(lab.observed.slice(2)).toEqual(['ran 6.01', ...Array<string>(128).fill('gave up')]);
  });

  it('lets work wait for just as long as it may', async () => {
    const lab = createLab();
    lab.ask('running', chore());
    lab.ask('in time', stranger('192.0.2.1'));
    lab.pass(4_990);
    expect(await lab.finish()).toEqual(['running', 'in time']);
  });

  it('goes on after work that fails', async () => {
    const { queue } = createLab();
    await expect(queue.run(stranger('192.0.2.1'), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    const throwAtOnce = () => {
      throw new Error('broken at once');
    };
    await expect(queue.run(stranger('192.0.2.1'), throwAtOnce)).rejects.toThrow('broken at once');
    await expect(queue.run(stranger('192.0.2.1'), async () => 'done')).resolves.toBe('done');
    expect([queue.running(), queue.waiting()]).toEqual([0, 0]);
  });

  it('takes as many turns of its network as the work is long', async () => {
    const { ask, finish } = createLab();
    ask('first', stranger('192.0.2.1'));
    for (const name of ['long', 'after']) ask(name, stranger('192.0.2.2'), name === 'long' ? 3 : 1);
    for (const name of ['a', 'b', 'c', 'd']) ask(name, stranger('192.0.2.3'));
    expect(await finish()).toEqual(['first', 'long', 'a', 'b', 'c', 'after', 'd']);
  });

  it('takes as many turns of its lane', async () => {
    const { ask, finish } = createLab();
    ask('first', stranger('192.0.2.1'));
    for (const name of ['long', 'after']) ask(name, stranger('192.0.2.2'), name === 'long' ? 2 : 1);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) ask(name, chore());
    expect(await finish()).toEqual(['first', 'a', 'long', 'b', 'c', 'after', 'd', 'e', 'f']);
  });

  it('lets nobody wait for turns that nobody else wants, and does not count them', async () => {
    const { ask, finish, queue, namesRunning } = createLab();
    ask('long', stranger('192.0.2.1'), 20);
    ask('next', stranger('192.0.2.1'));
    expect(await namesRunning()).toEqual(['long']);
    expect(queue.waiting()).toBe(1);
    expect(await finish()).toEqual(['long', 'next']);
    expect(queue.waiting()).toBe(0);
  });
});
