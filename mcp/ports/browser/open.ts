import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ToolError } from '../../kernel/error.ts'
import type { Guard } from '../fetch/guard.ts'
import type { Lane } from '../scheduler/lane.ts'
import { openChromium } from './chromium.ts'
import type { Browser, Browsers } from './port.ts'

export type BrowserOptions = {
  guard: Guard
  /** `auto`, `off` or a path. */
  path: string
  concurrency: number
  lane?: Lane
}

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

const findOnPath = (candidates: readonly string[]): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => candidates.map(name => join(folder, name)))
    .find(existsSync)

const unavailable = (tried: string, cause?: unknown, reason = 'browser_unavailable') =>
  new ToolError('unavailable', 'Pages cannot be shown here: no browser works on this machine.', {
    reason,
    hint: `${tried} The actions fetch and extract_text need none.`,
    cause,
  })

const find = async ({ guard, path, ...sharing }: BrowserOptions): Promise<Browser & Closing> => {
  if (path === 'off') throw unavailable('The operator has turned it off.', undefined, 'browser_off')
  const program = path === 'auto' ? findOnPath(names) : path
  if (program === undefined) throw unavailable('There is no Chromium on the PATH.')
  if (!existsSync(program)) throw unavailable('The program that is configured is not there.')
  if (!findOnPath(['bwrap'])) throw unavailable('It needs bubblewrap (bwrap), and there is none.')
  try {
    return await openChromium({ guard, path: program, ...sharing })
  } catch (cause) {
    const isMissing = (cause as { code?: string }).code === 'ERR_MODULE_NOT_FOUND'
    throw unavailable(
      isMissing
        ? 'The package playwright-core is not installed.'
        : 'Chromium does not start inside bubblewrap.',
      cause,
    )
  }
}

type Closing = { close(): Promise<void> }

/** How long a browser that was not found is not looked for again. */
const retryMs = 60_000

/** Looks for a browser once, and again some time after none was found. Between visits none runs. */
export const openBrowsers = (options: BrowserOptions, now = Date.now): Browsers & Closing => {
  let search: { since: number; browser: Promise<Browser & Closing>; isFound: boolean } | undefined
  return {
    get() {
      if (search && (search.isFound || now() - search.since < retryMs)) return search.browser
      const started = { since: now(), browser: find(options), isFound: false }
      started.browser.then(
        () => {
          started.isFound = true
        },
        () => undefined,
      )
      search = started
      return started.browser
    },
    close: async () => {
      await search?.browser.then(browser => browser.close()).catch(() => undefined)
    },
  }
}
