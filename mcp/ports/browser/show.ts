import type { Page, Response } from 'playwright-core'
import { ToolError } from '../../kernel/error.ts'
import { cutBytes } from '../../lib/text/cut-bytes.ts'
import type { Guard } from '../fetch/guard.ts'
import { explainLoad, firstLine } from './failure.ts'
import type { Launched } from './launch.ts'
import type { Blocked, BrowserStep, BrowserVisit, VisitOrder } from './port.ts'

/** How long a first answer, one step and what belongs to a page are waited for. */
const loadMs = 30_000
const stepMs = 10_000
const restMs = 10_000

/** Of all pictures of a visit together. */
const maxPictureBytes = 32 << 20

/** Limits for what a page says of itself, however long. */
const maxUrl = 2048
const maxTitle = 500

const listRedirects = async (response: Response | null): Promise<BrowserVisit['redirects']> => {
  const chain: BrowserVisit['redirects'][number][] = []
  for (let request = response?.request().redirectedFrom(); request; request = request.redirectedFrom()) {
    const answer = await request.response().catch(() => null)
    chain.unshift({ url: request.url().slice(0, maxUrl), status: answer?.status() ?? null })
  }
  return chain
}

const findBlocked = (blocked: readonly Blocked[], url: string): Blocked | undefined =>
  blocked.find(each => each.url === url || new URL(each.url).host === new URL(url).host)

/**
 * Title and text of a page, no more than asked for: a page can hold more than this process has room for. They are read in a world of
 * their own, whose functions the page's scripts cannot change.
 */
const readText = async (page: Page, maxCharacters: number): Promise<{ title: string; text: string }> => {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'reading',
  })
  const expression = `[document.title.slice(0, ${maxTitle}), document.body ? document.body.innerText.slice(0, ${maxCharacters}) : '']`
  const { result } = await session.send('Runtime.evaluate', {
    expression,
    contextId: executionContextId,
    returnByValue: true,
  })
  const [title, text] = Array.isArray(result.value) ? (result.value as unknown[]) : []
  return { title: String(title ?? ''), text: String(text ?? '') }
}

type Showing = { guard: Guard; launched: Launched; order: VisitOrder }

/** Shows a page in a browser that was launched for it, and does what is ordered. */
export const show = async ({
  guard,
  launched: { browser, proxy },
  order,
}: Showing): Promise<BrowserVisit> => {
  const end = performance.now() + order.deadlineMs
  const remaining = (most: number): number => Math.max(1, Math.round(Math.min(most, end - performance.now())))
  const context = await browser.newContext({
    viewport: order.viewport,
    acceptDownloads: false,
    serviceWorkers: 'block',
    permissions: [],
  })
  const page = await context.newPage()
  const refused = { dialogs: 0, popups: 0, downloads: 0 }
  page.on('dialog', dialog => {
    refused.dialogs++
    void dialog.dismiss().catch(() => undefined)
  })
  page.on('download', download => {
    refused.downloads++
    void download.cancel().catch(() => undefined)
  })
  context.on('page', other => {
    refused.popups++
    void other.close().catch(() => undefined)
  })

  const go = async (url: string): Promise<{ response: Response | null; isLoaded: boolean }> => {
    guard.check(url)
    const refuse = (): ToolError | undefined => {
      const refusal = findBlocked(proxy.blocked(), url)
      return (
        refusal &&
        new ToolError('invalid_input', `url: ${refusal.reason}`, {
          issues: [{ path: 'url', message: refusal.reason }],
        })
      )
    }
    const response = await page
      .goto(url, { waitUntil: 'domcontentloaded', timeout: remaining(loadMs) })
      .catch((problem: unknown) => {
        throw refuse() ?? explainLoad(problem)
      })
    // The proxy's own refusal of a redirect is a page to the browser.
    const refusal = response?.status() === 403 ? findBlocked(proxy.blocked(), response.url()) : undefined
    if (refusal)
      throw new ToolError('invalid_input', `url: ${refusal.reason}`, {
        issues: [{ path: 'url', message: refusal.reason }],
      })
    const isLoaded = await page.waitForLoadState('load', { timeout: remaining(restMs) }).then(
      () => true,
      () => false,
    )
    return { response, isLoaded }
  }

  const first = await go(order.url)
  let { response: last, isLoaded } = first
  await page.waitForTimeout(remaining(order.settleMs))
  const screenshots: Buffer[] = []
  const shoot = async (timeout: number): Promise<void> => {
    const picture = await page.screenshot({ type: 'png', timeout })
    const before = screenshots.reduce((sum, { length }) => sum + length, 0)
    if (before + picture.length > maxPictureBytes)
      throw new Error(`The pictures of one visit may have ${maxPictureBytes} bytes together.`)
    screenshots.push(picture)
  }
  const act = async (step: BrowserStep): Promise<void> => {
    const timeout = remaining(stepMs)
    if (step.action === 'click') await page.click(step.selector, { timeout })
    else if (step.action === 'type') await page.fill(step.selector, step.value, { timeout })
    else if (step.action === 'wait') await page.waitForTimeout(remaining(step.ms))
    else if (step.action === 'screenshot') await shoot(timeout)
    else ({ response: last, isLoaded } = await go(step.url))
  }
  const steps: { action: BrowserStep['action']; ok: boolean; detail: string | null }[] = []
  for (const step of order.steps) {
    if (performance.now() >= end) {
      steps.push({ action: step.action, ok: false, detail: 'The time of the visit is over.' })
      break
    }
    try {
      await act(step)
      steps.push({ action: step.action, ok: true, detail: null })
    } catch (problem) {
      // A browser that is gone is not the step's fault.
      if (!browser.isConnected()) throw problem
      steps.push({ action: step.action, ok: false, detail: firstLine(problem) })
      break
    }
  }
  const { title, text } = await readText(page, order.maxTextBytes + 1)
  const { text: shortText, isCut } = cutBytes(text, order.maxTextBytes)
  return {
    finalUrl: page.url().slice(0, maxUrl),
    status: last?.status() ?? null,
    headers: last?.headers() ?? {},
    redirects: await listRedirects(first.response),
    isLoaded,
    title,
    text: shortText,
    isTextCut: isCut,
    screenshots,
    steps,
    blocked: [...proxy.blocked()],
    refused,
    bytes: proxy.bytes(),
  }
}
