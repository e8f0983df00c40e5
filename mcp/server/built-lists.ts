import { existsSync, readFileSync } from 'node:fs'
import type { Service } from '../kernel/service.ts'
import type { ListedTool } from './listed.ts'

/**
 * Where the build wrote what the tools of its services list, checked there. Undefined here: only the program that is rolled into one
 * folder has such lists (`scripts/bundle.mjs` puts their place here), because only those can be of no other version than itself.
 */
const folder: URL | undefined = undefined

const placeOf = ({ slug }: Service, lists: URL | undefined): URL | undefined =>
  lists && new URL(`${slug}.json`, lists)

/** True when the tools of a service were compiled and checked when the program was built. */
export const hasBuiltList = (service: Service, lists = folder): boolean => {
  const place = placeOf(service, lists)
  return place !== undefined && existsSync(place)
}

/** Reads the build's list of a service's tools, by name. Undefined where it wrote nothing. */
export const readBuiltList = (
  service: Service,
  lists = folder,
): ReadonlyMap<string, ListedTool> | undefined => {
  const place = placeOf(service, lists)
  if (!place || !existsSync(place)) return undefined
  const tools = JSON.parse(readFileSync(place, 'utf8')) as ListedTool[]
  return new Map(tools.map(listed => [listed.name, listed]))
}
