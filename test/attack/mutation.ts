import { type Random, randomFrom } from '../random.ts'

/** What parsers trip over: ends of structures, lengths that lie, names with a meaning. */
const tokens = [
  '<',
  '>',
  '<!--',
  ']]>',
  '&#x110000;',
  '&amp',
  '"',
  "'",
  '=',
  ';',
  ',',
  ':',
  '\0',
  '\r\n',
  '\n\n',
  '%',
  '%zz',
  '\\u',
  '\\ud800',
  'charset',
  'charset=',
  '<meta content="x;charset">',
  '<?xml encoding="',
  '<!DOCTYPE a [<!ENTITY b "&b;&b;">]>',
  '__proto__',
  'constructor',
  '-1',
  '1e999',
  '99999999999999999999',
  'NaN',
  '{',
  '[',
  '[[[[[[[[',
  '}',
  'null',
  '\ufeff',
  '\u202e',
  '\u{e0041}',
].map(text => Buffer.from(text))

const lies = [0, 1, 0x7f, 0x80, 0xfe, 0xff]

const mutate = (bytes: Buffer, { below, chance, pick }: Random, others: readonly Buffer[]): Buffer => {
  const at = below(bytes.length + 1)
  const until = Math.min(bytes.length, at + below(1 + Math.min(64, bytes.length)))
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (below(8)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([before, bytes.subarray(until)])
    case 2:
      return Buffer.concat([before, bytes.subarray(at, until), after])
    case 3:
      return Buffer.concat([before, pick(tokens), after])
    case 4: {
      const other = pick(others)
      return Buffer.concat([before, other.subarray(below(other.length + 1))])
    }
    case 5:
      return Buffer.concat([before, pick(tokens)])
    default: {
      const changed = Buffer.from(bytes)
      for (let left = 1 + below(3); left > 0 && changed.length > 0; left--) {
        const place = below(changed.length)
        changed[place] = chance(0.5) ? pick(lies) : (changed[place] ?? 0) ^ (1 << below(8))
      }
      return changed
    }
  }
}

/** Inputs made from good ones by one to six changes each, the same for the same seed. At most 64 KiB. */
export function* mutations(seeds: readonly Buffer[], count: number, seed: number): Generator<Buffer> {
  const random = randomFrom(seed)
  for (let nth = 0; nth < count; nth++) {
    let bytes = seeds[nth % seeds.length] ?? Buffer.alloc(0)
    for (let left = 1 + random.below(6); left > 0; left--)
      bytes = mutate(bytes, random, seeds).subarray(0, 65_536)
    yield bytes
  }
}
