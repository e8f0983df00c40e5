import type { Service } from '../kernel/service.ts'
import { byName, compileService, deepFreeze } from './compile.ts'
import type { Entry } from './listed.ts'

/** All tools of an installation under the names that the bundle gives them, `{slug}_{tool}`, sorted. */
export type Catalogue = { readonly services: readonly Service[]; readonly entries: readonly Entry[] }

const withServicePrefix = (entry: Entry): Entry => ({
  ...entry,
  listed: deepFreeze({ ...entry.listed, name: `${entry.service.slug}_${entry.listed.name}` }),
})

/** Compiles every service. Throws an Error that names service.tool and the fault. */
export const buildCatalogue = (services: readonly Service[]): Catalogue => ({
  services,
  entries: services
    .flatMap(compileService)
    .map(withServicePrefix)
    .sort((a, b) => byName(a.listed, b.listed)),
})
