import { clean, cleanText } from '../../../lib/text/clean.ts'
import type { Browser, BrowserStep } from '../../../ports/browser/port.ts'
import type { Turn } from '../../../ports/scheduler/port.ts'
import type { Tier } from '../execution/tiers.ts'
import { type Observation, pickHeaders } from './observation.ts'
import { browseTiers } from './tiers.ts'

/** A page can ask for as much as it likes; who reads the answer has less time. */
const maxBlocked = 20

type Order = {
  url: string
  steps: readonly BrowserStep[]
  viewport: { width: number; height: number }
  settleMs: number
  maxBytes: number
  tier: Tier
  turn: Turn
}

/** Shows a page in a browser and does the steps; text and title without what people do not see. */
export const visitPage = async (browser: Browser, order: Order): Promise<Observation> => {
  const { url, steps, viewport, settleMs, maxBytes, tier, turn } = order
  const visit = await browser.visit(
    {
      url,
      steps,
      viewport,
      settleMs,
      maxTextBytes: maxBytes,
      deadlineMs: browseTiers[tier].seconds * 1000,
    },
    turn,
  )
  const screenshotSteps = visit.steps.flatMap(({ action, ok }, step) =>
    action === 'screenshot' && ok ? [step] : [],
  )
  return {
    status: visit.steps.every(({ ok }) => ok) ? 'ok' : 'step_failed',
    finalUrl: visit.finalUrl,
    httpStatus: visit.status,
    contentType: visit.headers['content-type']?.slice(0, 200) ?? null,
    headers: pickHeaders(visit.headers),
    title: clean(visit.title, 500),
    text: cleanText(visit.text),
    isTextCut: visit.isTextCut,
    isLoaded: visit.isLoaded,
    redirects: visit.redirects,
    blocked: visit.blocked.slice(0, maxBlocked),
    refused: visit.refused,
    steps: visit.steps,
    pictures: visit.screenshots.map((bytes, n) => ({ bytes, step: screenshotSteps[n] ?? 0 })),
    bytes: visit.bytes,
    runner: `chromium ${browser.facts.version}`,
    isolates: browser.facts.isolates,
  }
}
