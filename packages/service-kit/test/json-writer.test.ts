import { describe, expect, it } from '@jest/globals';
import { createJsonWriter, rememberLatestText } from '../src/http/json-writer.ts';

describe('the text of an object', () => {
  const [one, other] = [{ name: 'é"' }, { name: 'b' }];

  it('is written once for all answers that share the object', () => {
    const built: unknown[] = [];
    const write = createJsonWriter((shared: { name: string }) => {
      built.push(shared);
      return { ...shared, more: true };
    });
    expect([one, other, one, other, { ...one }].map(write)).toEqual(
      ['é\\"', 'b', 'é\\"', 'b', 'é\\"'].map((name) => `{"name":"${name}","more":true}`),
    );
    expect(built).toEqual([one, other, one]);
  });

  it('is written again where another object came in between, if the latest alone is remembered', () => {
    let written = 0;
    const write = rememberLatestText((shared: { name: string }, context: string) => {
      written += 1;
      return `${shared.name} ${context} ${written}`;
    });
    const texts = [one, one, other, other, one].map((shared) => write(shared, 'x'));
    expect(texts).toEqual(['é" x 1', 'é" x 1', 'b x 2', 'b x 2', 'é" x 3']);
  });
});
