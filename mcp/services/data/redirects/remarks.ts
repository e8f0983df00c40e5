import type { Note } from '../meta.ts'
import { maxRedirects, type Trace } from './trace.ts'

const leading = new Set([301, 302, 303, 307, 308])

const aboutEnd = ({ end, hops }: Trace): Note[] => {
  if (end === 'too_many')
    return [
      {
        code: 'too_many_redirects',
        message: `It redirects more than ${maxRedirects} times; the rest was not followed.`,
      },
    ]
  if (end === 'out_of_time')
    return [{ code: 'out_of_time', message: 'The hops took too long; the rest was not followed.' }]
  if (end !== 'loop') return []
  if (!hops.some(hop => hop.sets_cookie)) return [{ code: 'loop', message: 'It redirects in a circle.' }]
  return [
    {
      code: 'cookie_loop',
      message:
        'It redirects in a circle and sets cookies: with cookies it may lead on, and none are sent here.',
    },
  ]
}

const aboutAnswer = ({ last, end }: Trace, method: string): Note[] => {
  const { status, location } = last.hop
  if (end !== 'answer' || status === null) return []
  const notes: Note[] = []
  if (leading.has(status) && location === null)
    notes.push({ code: 'no_location', message: `It answered ${status} and does not say where to.` })
  if (status === 300)
    notes.push({
      code: 'multiple_choices',
      message: 'It answered 300, which offers several addresses; none is followed.',
    })
  if (method === 'HEAD' && (status === 405 || status === 501 || status === 403 || status === 404))
    notes.push({ code: 'head_refused', message: `It answered HEAD with ${status}; GET may lead elsewhere.` })
  if (last.fetched?.headers['cf-mitigated'])
    notes.push({
      code: 'bot_wall',
      message: 'The site answered with a check for robots instead of the page.',
    })
  return notes
}

const aboutPage = ({ refresh, script }: Trace): Note[] => [
  ...(refresh
    ? [{ code: 'refresh', message: `The page leads on to ${refresh.url} by a refresh; it is not followed.` }]
    : []),
  ...(script
    ? [{ code: 'script_redirect', message: `A script may lead on to ${script}; it is not followed.` }]
    : []),
]

const aboutSteps = ({ hops }: Trace): Note[] => {
  const upgrade = hops.find(
    ({ https, location, status }) =>
      !https && location?.startsWith('https:') && status !== 301 && status !== 308,
  )
  if (!upgrade) return []
  return [
    {
      code: 'temporary_upgrade',
      message: `The way from http to https is a ${upgrade.status}; a 301 or 308 is kept by browsers.`,
    },
  ]
}

/** Lists notes on a trace beyond its hops. */
export const remarks = (trace: Trace, method: string): Note[] => [
  ...aboutEnd(trace),
  ...aboutAnswer(trace, method),
  ...aboutPage(trace),
  ...aboutSteps(trace),
]
