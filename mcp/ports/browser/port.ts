import type { Turn } from '../scheduler/port.ts'

/** One thing to do on a page after it has loaded. Selectors are those of Playwright: CSS, `text=…`, `role=…`. */
export type BrowserStep =
  | { action: 'click'; selector: string }
  | { action: 'type'; selector: string; value: string }
  | { action: 'navigate'; url: string }
  | { action: 'wait'; ms: number }
  | { action: 'screenshot' }

export type VisitOrder = {
  url: string
  steps: readonly BrowserStep[]
  viewport: { width: number; height: number }
  /** Waited for after the page has loaded. */
  settleMs: number
  /** Of text. */
  maxTextBytes: number
  /** The whole visit, from start to end. Steps that it leaves no time for are not tried. */
  deadlineMs: number
}

/** One address that was asked for and not reached, with why. */
export type Blocked = { url: string; reason: string }

export type BrowserVisit = {
  finalUrl: string
  /** Of the page that was shown last; null where nothing answered. */
  status: number | null
  headers: Readonly<Record<string, string>>
  /** Addresses that led to the first page, the one that was asked for first. */
  redirects: readonly { url: string; status: number | null }[]
  /** False where the page was still loading when its time was over; what there was of it is shown. */
  isLoaded: boolean
  title: string
  text: string
  isTextCut: boolean
  /** PNG, in the order in which they were taken. */
  screenshots: readonly Buffer[]
  /** For each step what it came to; those after one that failed were not tried. */
  steps: readonly { action: BrowserStep['action']; ok: boolean; detail: string | null }[]
  blocked: readonly Blocked[]
  /** Refused requests of a page. */
  refused: { dialogs: number; popups: number; downloads: number }
  /** Bytes that came over the network. */
  bytes: number
}

/** Isolation of a browser from the host, and its means. */
export type BrowserFacts = {
  version: string
  isolates: { network: string; filesystem: string; sandbox: string }
}

/** Looks at pages of strangers as people see them. */
export type Browser = {
  facts: BrowserFacts
  /**
   * Shows a page in a browser of its own, which ends with the visit, and does what is ordered. Throws `invalid_input` for an address that
   * may not be visited, `upstream` with a reason for one that cannot be shown, `timeout` for a page that stands still or a signal that
   * aborts, and `unavailable` where no turn comes or the browser has died. Without a turn the house itself visits.
   */
  visit(order: VisitOrder, turn?: Turn): Promise<BrowserVisit>
}

/** A browser that is looked for when it is first needed. */
export type Browsers = {
  /** The browser of this machine. Throws `unavailable` with what was tried. */
  get(): Promise<Browser>
}
