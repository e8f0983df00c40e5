export type DocumentForm = 'markdown' | 'html' | 'json'

const types: readonly [DocumentForm, string][] = [
  ['markdown', 'text/markdown'],
  ['html', 'text/html'],
  ['json', 'application/json'],
]

type Range = { type: string; quality: number }

const parseRanges = (accept: string): Range[] =>
  accept
    .toLowerCase()
    .split(',')
    .map(part => {
      const [type = '', ...params] = part.split(';').map(text => text.trim())
      const q = Number(params.find(param => param.startsWith('q='))?.slice(2) ?? '1')
      return { type, quality: Number.isFinite(q) ? q : 0 }
    })

/** Quality and closeness of the range that names a type most exactly. */
const rank = (ranges: readonly Range[], type: string): [quality: number, closeness: number] => {
  const closest = [type, `${type.split('/')[0]}/*`, '*/*']
  for (const [at, name] of closest.entries()) {
    const range = ranges.find(other => other.type === name)
    if (range) return [range.quality, closest.length - at]
  }
  return [0, 0]
}

/** The form an Accept header prefers (RFC 9110 §12.5.1); Markdown when it does not say, or asks for nothing there is. */
export const chooseForm = (accept: string | undefined): DocumentForm => {
  if (!accept) return 'markdown'
  const ranges = parseRanges(accept)
  const ranked = types.map(([form, type]) => ({ form, rank: rank(ranges, type) }))
  ranked.sort((one, other) => other.rank[0] - one.rank[0] || other.rank[1] - one.rank[1])
  const [best] = ranked
  return best && best.rank[0] > 0 ? best.form : 'markdown'
}
