/** Observation of a page, whichever way it was looked at. */
export type Observation = {
  status: 'ok' | 'step_failed'
  finalUrl: string
  httpStatus: number | null
  contentType: string | null
  headers: Readonly<Record<string, string>>
  title: string | null
  text: string
  isTextCut: boolean
  isLoaded: boolean
  /** Addresses that led to the page, in order, with what each answered. */
  redirects: readonly { url: string; status: number | null }[]
  blocked: readonly { url: string; reason: string }[]
  refused: { dialogs: number; popups: number; downloads: number }
  steps: readonly { action: string; ok: boolean; detail: string | null }[]
  /** PNG, each with the step that took it, from 0. */
  pictures: readonly { bytes: Buffer; step: number }[]
  bytes: number
  runner: string
  isolates: Readonly<Record<string, string>>
}

/** Headers of a page that say something of it, by lower-case name. */
const telling = [
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'etag',
  'last-modified',
  'server',
]

/** The headers that say something, none longer than a line. */
export const pickHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    telling.flatMap(name => (headers[name] === undefined ? [] : [[name, headers[name].slice(0, 500)]])),
  )
