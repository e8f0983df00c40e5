import { abTesting, advertising } from './data/advertising.ts'
import { analytics } from './data/analytics.ts'
import { assetCdn, cdn } from './data/cdn.ts'
import { cms } from './data/cms.ts'
import { consent, security } from './data/consent.ts'
import { css, fonts } from './data/css.ts'
import { ecommerce } from './data/ecommerce.ts'
import { framework } from './data/framework.ts'
import { hosting } from './data/hosting.ts'
import { library, uiLibrary } from './data/library.ts'
import { marketing } from './data/marketing.ts'
import { monitoring, tagManager } from './data/monitoring.ts'
import { payment } from './data/payment.ts'
import { community, plugin } from './data/plugin.ts'
import { language, os, server } from './data/server.ts'
import { siteBuilder } from './data/site-builder.ts'
import { staticSite } from './data/static-site.ts'
import { auth, support } from './data/support.ts'
import { media, widget } from './data/widget.ts'
import type { Category, Fingerprint, Fingerprints, Hints } from './fingerprint.ts'

export type CatalogueEntry = { name: string; category: Category; fingerprint: Fingerprint }

const groups: readonly (readonly [Category, Fingerprints])[] = [
  ['cdn', cdn],
  ['asset-cdn', assetCdn],
  ['server', server],
  ['os', os],
  ['language', language],
  ['hosting', hosting],
  ['framework', framework],
  ['static-site', staticSite],
  ['ui-library', uiLibrary],
  ['library', library],
  ['css', css],
  ['fonts', fonts],
  ['cms', cms],
  ['cms', siteBuilder],
  ['plugin', plugin],
  ['community', community],
  ['ecommerce', ecommerce],
  ['payment', payment],
  ['analytics', analytics],
  ['tag-manager', tagManager],
  ['monitoring', monitoring],
  ['marketing', marketing],
  ['advertising', advertising],
  ['ab-testing', abTesting],
  ['support', support],
  ['auth', auth],
  ['consent', consent],
  ['security', security],
  ['media', media],
  ['widget', widget],
]

/** All technologies that are known. */
export const catalogue: readonly CatalogueEntry[] = groups.flatMap(([category, all]) =>
  Object.entries(all).map(([name, fingerprint]) => ({ name, category, fingerprint })),
)

export const byName: ReadonlyMap<string, CatalogueEntry> = new Map(
  catalogue.map(entry => [entry.name, entry]),
)

/** A set of hints of one technology, and whether they are weak. */
export type Lead = { name: string; weak: boolean; hints: Hints }

/** Every set of hints, strong ones first. */
export const leads: readonly Lead[] = catalogue.flatMap(({ name, fingerprint: { weak, ...strong } }) => [
  { name, weak: false, hints: strong },
  ...(weak ? [{ name, weak: true, hints: weak }] : []),
])
