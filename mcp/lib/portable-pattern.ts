const maxPatternLength = 200

/** The most that RE2 lets a group be repeated. */
const maxRepeats = 1000

/**
 * The pattern where ECMAScript, RE2 and Rust read it alike, with ASCII classes spelled out; else undefined, and the description has to
 * say it. No looking around, no references, no classes of Unicode, no `\s` and no `.`, which differ.
 */
export const toPortablePattern = (pattern: string): string | undefined => {
  const spelled = pattern
    .replaceAll(
      /\[([^\]]*)\]/g,
      (_, inside: string) => `[${inside.replaceAll('\\d', '0-9').replaceAll('\\w', '0-9A-Za-z_')}]`,
    )
    .replaceAll('\\d', '[0-9]')
    .replaceAll('\\w', '[0-9A-Za-z_]')
  const repeats = [...spelled.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) =>
    Number(most || least),
  )
  const isPlain = !/\\[^xnrt.*+?^$()[\]{}|/\\-]|\(\?(?!:)|(?<!\\)\.(?![^[]*\])|[^\x20-\x7e]/.test(spelled)
  const isShort = spelled.length <= maxPatternLength && repeats.every(count => count <= maxRepeats)
  return isPlain && isShort ? spelled : undefined
}
