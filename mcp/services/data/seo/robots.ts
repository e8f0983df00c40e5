/** Permissions of robots on a page, by its `meta` elements and `X-Robots-Tag` headers. */
export type Robots = {
  index: boolean
  follow: boolean
  /** Place of the directives; null when there are none. */
  source: 'meta' | 'header' | 'both' | null
  directives: string[]
}

type Directive = { crawler: string; directive: string; from: 'meta' | 'header' }

const judgedAgents = new Set(['robots', 'googlebot', 'bingbot'])

const withValue = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after'])

const maxDirectives = 50

const splitDirectives = (text: string) =>
  text
    .slice(0, 2000)
    .split(',', maxDirectives)
    .map(part => part.trim().toLowerCase())
    .filter(part => part !== '')

/** One line of `X-Robots-Tag`: the name of a crawler holds for what follows it. */
const inLine = (line: string): Directive[] => {
  let crawler = 'robots'
  return splitDirectives(line).flatMap(part => {
    const agentMatch = /^([\w-]{1,60})\s*:\s*(.*)$/s.exec(part)
    const isName = agentMatch?.[1] !== undefined && !withValue.has(agentMatch[1])
    if (isName) crawler = agentMatch[1] ?? crawler
    const directive = isName ? (agentMatch[2] ?? '') : part
    return directive === '' ? [] : [{ crawler, directive, from: 'header' as const }]
  })
}

const isPast = (directive: string, now: Date): boolean => {
  const deadline = /^unavailable_after\s*:\s*(.+)$/.exec(directive)?.[1]
  const at = Date.parse(deadline ?? '')
  return !Number.isNaN(at) && at < now.getTime()
}

/** Reads the directives for all robots and those of the large search engines; the strictest holds. */
export const readRobots = (
  meta: readonly { name: string; content: string }[],
  headers: readonly string[],
  now: Date,
): Robots => {
  const inMeta = meta.flatMap(({ name, content }) =>
    splitDirectives(content).map(directive => ({ crawler: name, directive, from: 'meta' as const })),
  )
  const all: Directive[] = [...inMeta, ...headers.slice(0, maxDirectives).flatMap(inLine)].filter(
    ({ crawler }) => judgedAgents.has(crawler),
  )
  const says = (...words: string[]) => all.some(({ directive }) => words.includes(directive))
  const sources = new Set(all.map(({ from }) => from))
  return {
    index: !says('noindex', 'none') && !all.some(({ directive }) => isPast(directive, now)),
    follow: !says('nofollow', 'none'),
    source: sources.size === 2 ? 'both' : ([...sources][0] ?? null),
    directives: [
      ...new Set(
        all.map(({ crawler, directive }) => (crawler === 'robots' ? directive : `${crawler}: ${directive}`)),
      ),
    ],
  }
}
