import type { Element } from '../../../lib/page/element.ts'
import { extractor } from '../../../lib/page/extractor.ts'
import { readBase } from '../../../lib/page/link.ts'
import { clean } from '../../../lib/text/clean.ts'

/** A script that a page loads; `schemeless` when it takes over http or https from the page. */
export type Script = { url: string; integrity: string | null; crossorigin: boolean; schemeless: boolean }

/** Facts in a page's markup that headers state too, and the scripts it loads. */
export type MarkupFacts = {
  policies: string[]
  referrer: string[]
  /** Names of headers that have no effect in a meta element. */
  ignored: string[]
  scripts: Script[]
}

const noEffect = new Set([
  'x-frame-options',
  'strict-transport-security',
  'content-security-policy-report-only',
  'permissions-policy',
  'x-content-type-options',
  'set-cookie',
])

const limits = { meta: 500, scripts: 500 }

const readScript = (element: Element, base: string): Script[] => {
  const src = element.getAttribute('src')?.trim()
  if (!src || src.length > 2048 || !URL.canParse(src, base)) return []
  const { href, protocol } = new URL(src, base)
  if (protocol !== 'http:' && protocol !== 'https:') return []
  return [
    {
      url: href,
      integrity: clean(element.getAttribute('integrity'), 1000),
      schemeless: /^[/\\]{2}/.test(src),
      crossorigin: element.getAttribute('crossorigin') !== null,
    },
  ]
}

/** Reads what a page says about its own safety. */
export const safety = extractor(import.meta.url, 'safety', ({ document, url }): MarkupFacts => {
  const base = readBase(document, url)
  const metas = [...document.querySelectorAll('meta[content]')].slice(0, limits.meta)
  const facts: MarkupFacts = { policies: [], referrer: [], ignored: [], scripts: [] }
  for (const meta of metas) {
    const content = clean(meta.getAttribute('content'), 8000)
    const name = (meta.getAttribute('http-equiv') ?? '').trim().toLowerCase()
    if (content === null) continue
    if (name === 'content-security-policy') facts.policies.push(content)
    if (noEffect.has(name)) facts.ignored.push(name)
    if (meta.getAttribute('name')?.trim().toLowerCase() === 'referrer') facts.referrer.push(content)
  }
  const scripts = [...document.querySelectorAll('script[src]')].slice(0, limits.scripts)
  facts.scripts = scripts.flatMap(script => readScript(script, base))
  return facts
})
