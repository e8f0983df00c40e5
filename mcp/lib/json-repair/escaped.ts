const meaning: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

/** Where JSON begins whose quotes are escaped, as when a string's inside was pasted; undefined when it is not so. */
export const escapedStart = (text: string): number | undefined => {
  if (!text.includes('\\"')) return undefined
  const string = /^\s{0,64}(?=\\")/.exec(text)
  if (string) return string[0].length
  const match = /[{[](?:\s|\\[ntr]|[{[]){0,64}\\"/.exec(text)
  return match && !text.slice(0, match.index).includes('"') ? match.index : undefined
}

/** Undoes one level of escapes from `start` on; `offsets` maps each place of the new text to the old one. */
export const unescapeFrom = (text: string, start: number): { text: string; offsets: Uint32Array } => {
  const offsets = new Uint32Array(text.length + 1)
  for (let at = 0; at < start; at++) offsets[at] = at
  const parts = [text.slice(0, start)]
  let length = start
  const pattern = /\\([\s\S])|[^\\]+|\\/g
  pattern.lastIndex = start
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const letter = match[1]
    const keep = letter === 'u' || letter === undefined
    const part = keep ? match[0] : (meaning[letter] ?? letter)
    for (let at = 0; at < part.length; at++) offsets[length + at] = match.index + at
    length += part.length
    parts.push(part)
  }
  offsets[length] = text.length
  return { text: parts.join(''), offsets: offsets.subarray(0, length + 1) }
}
