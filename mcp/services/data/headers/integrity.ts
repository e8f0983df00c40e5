import { type CspFinding, type Test, test } from '../../../lib/csp/finding.ts'
import { findSite } from '../redirects/facts.ts'
import type { Script } from './page.ts'

const name = 'subresource-integrity'

/** A digest that browsers check; others are as good as none (SRI §3.5). */
const digest = /(?:^|\s)sha(?:256|384|512)-[a-z0-9+/]{40,100}={0,2}(?:\?\S*)?(?:$|\s)/i

const isChecked = ({ integrity }: Script) => integrity !== null && digest.test(integrity)

const summarizeUrls = (scripts: readonly Script[]): string => {
  const urls = scripts.slice(0, 3).map(({ url }) => (url.length > 120 ? `${url.slice(0, 119)}…` : url))
  return scripts.length > 3 ? `${urls.join(', ')} and ${scripts.length - 3} more` : urls.join(', ')
}

type Judgement = { test: Test; findings: CspFinding[] }

const isForeign = (pageUrl: string) => {
  const site = findSite(pageUrl)
  return ({ url }: Script) => findSite(url) !== site
}

/** A script may come over http: by its address, or by taking over the scheme of a page that can be had over http. */
const isInsecure = (alwaysSecure: boolean) => (script: Script) =>
  script.url.startsWith('http:') || (script.schemeless && !alwaysSecure)

const scoreScripts = (
  scripts: readonly Script[],
  foreign: readonly Script[],
  insecure: readonly Script[],
): Test => {
  if (scripts.length === 0) return test(name, 'no_scripts', 0, 'The page loads no scripts.')
  if (insecure.some(script => !isChecked(script)))
    return test(name, 'insecure_scripts', -50, 'Foreign scripts come over http and are not checked.')
  if (insecure.length > 0)
    return test(name, 'insecure_checked', -20, 'Foreign scripts come over http; their digests are checked.')
  if (scripts.every(isChecked)) return test(name, 'all_checked', 5, 'The digests of all scripts are checked.')
  if (foreign.length === 0) return test(name, 'own_scripts', 0, 'All scripts come from the site itself.')
  if (foreign.every(isChecked))
    return test(name, 'checked', 5, 'The digests of all foreign scripts are checked.')
  return test(name, 'unchecked', -5, 'Foreign scripts run without a check of what they hold.')
}

/**
 * Whether foreign scripts are checked before they run; null where no page was read. `alwaysSecure` tells that the page itself
 * cannot be had over http.
 */
export const judgeIntegrity = (
  scripts: readonly Script[] | null,
  pageUrl: string,
  alwaysSecure: boolean,
): Judgement => {
  if (scripts === null)
    return { test: test(name, 'no_page', 0, 'The answer is no HTML that was read.'), findings: [] }
  const foreign = scripts.filter(isForeign(pageUrl))
  const insecure = foreign.filter(isInsecure(alwaysSecure))
  const bare = foreign.filter(script => !isChecked(script))
  const blockedScripts = scripts.filter(
    script =>
      isChecked(script) && !script.crossorigin && new URL(script.url).origin !== new URL(pageUrl).origin,
  )
  const findings: CspFinding[] = []
  if (insecure.length > 0)
    findings.push({
      code: 'insecure_script',
      severity: 'high',
      message: `Scripts come over http: ${summarizeUrls(insecure)}.`,
      fix: 'load them over https',
    })
  if (bare.length > 0)
    findings.push({
      code: 'no_integrity',
      severity: 'low',
      message: `Foreign scripts have no integrity: ${summarizeUrls(bare)}.`,
      fix: '<script src="…" integrity="sha384-…" crossorigin="anonymous"></script>',
    })
  if (blockedScripts.length > 0)
    findings.push({
      code: 'integrity_without_cors',
      severity: 'medium',
      message: `Browsers block these, since they have integrity and no crossorigin: ${summarizeUrls(blockedScripts)}.`,
      fix: 'crossorigin="anonymous"',
    })
  return { test: scoreScripts(scripts, foreign, insecure), findings }
}
