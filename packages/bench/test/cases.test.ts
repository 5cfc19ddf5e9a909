import { describe, expect, it } from '@jest/globals';
import { cases, chooseCases } from '../src/cases/index.ts';

const namesOf = (chosen: ReturnType<typeof chooseCases>) => chosen.map(({ name }) => name);

describe('the cases', () => {
  it('all run where none is named, but for those that need what not every machine has', () => {
    const left = namesOf(cases).filter((name) => !namesOf(chooseCases(undefined)).includes(name));
    expect(left).toEqual(['console']);
  });

  it('run as they are named, in their own order', () => {
    expect(namesOf(chooseCases(['start', 'console', 'jwks']))).toEqual(['jwks', 'start', 'console']);
  });
});
