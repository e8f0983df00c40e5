import { domainToUnicode } from 'node:url'

/** Letters that look like Latin ones, by what they are read as. */
const looks: Readonly<Record<string, string>> = {
  a: 'аɑαａ',
  b: 'ьƅЬ',
  c: 'сϲⅽ',
  d: 'ԁɗⅾ',
  e: 'еҽεєℯ',
  f: 'ƒϝ',
  g: 'ɡցԍ',
  h: 'һհ',
  i: 'іıɩιⅰӏ',
  j: 'јϳ',
  k: 'κкⲕ',
  l: 'ⅼӏǀ|ℓ',
  m: 'мⅿ',
  n: 'ոռпη',
  o: 'оοօσⲟ०о',
  p: 'рρϱ',
  q: 'ԛգ',
  r: 'гᴦⲅ',
  s: 'ѕꜱ',
  t: 'тτ',
  u: 'υսʋц',
  v: 'νѵⅴ',
  w: 'ԝաѡω',
  x: 'хχⅹ',
  y: 'уүγ',
  z: 'ᴢʐ',
}

const readAs = new Map(Object.entries(looks).flatMap(([letter, all]) => [...all].map(one => [one, letter])))

/** A text with the letters of other scripts that look like Latin ones as Latin ones. */
export const toLatin = (text: string): string =>
  /[^\0-\x7f]/.test(text)
    ? Array.from(text.toLowerCase(), letter => readAs.get(letter) ?? letter).join('')
    : text

/** Pairs and digits that are read as another letter in most fonts. */
const pairs: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/[0]/g, 'o'],
  [/[1|]/g, 'l'],
  [/i/g, 'l'],
]

/** Look of a host name at a glance; two names with one skeleton are easily taken for each other. */
export const skeleton = (host: string): string => {
  const plain = domainToUnicode(host)
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
  const latin = [...plain].map(letter => readAs.get(letter) ?? letter).join('')
  return pairs.reduce((text, [from, to]) => text.replace(from, to), latin)
}
