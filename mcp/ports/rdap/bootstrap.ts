import * as z from 'zod'
import { factTable, words } from '../../lib/facts.ts'
import type { Clock } from '../clock/port.ts'
import type { Fetch } from '../fetch/port.ts'
import {
  buildDirectory,
  type Directory,
  parseServices,
  type RegistryKind,
  type Services,
} from './services.ts'

/** Responsible servers, by IANA's files: those of today where they can be had, else the last known ones. */
export type Bootstrap = {
  find(kind: RegistryKind, key: string): Promise<readonly string[] | undefined>
}

type Settings = { fetch: Fetch; clock: Clock; url: string }

const hour = 3_600_000
const fresh = 24 * hour
/** After a failure the file is left alone for a while. */
const pause = hour / 6
const patienceMs = 4000

const serverRows = z.array(z.strictObject({ server: z.string().regex(/^https?:/), tlds: words }))

/** IANA's servers and the TLDs that each answers for; `{tld}` in a URL stands for the TLD. */
const servers = factTable(new URL('./data/servers.json', import.meta.url), serverRows)

/** Servers of registries that IANA does not list, by top-level domain. */
export const unlistedServers = factTable(
  new URL('./data/unlisted-servers.json', import.meta.url),
  serverRows.transform(
    (rows): Readonly<Record<string, string>> =>
      Object.fromEntries(rows.flatMap(({ server, tlds }) => tlds.map(tld => [tld, server]))),
  ),
)

const builtIn = async (kind: RegistryKind): Promise<Services> => {
  if (kind !== 'dns') return (await import('./number-registries.ts')).numberRegistries[kind]
  return servers().flatMap(({ server, tlds }) =>
    tlds.map(tld => [[tld], [server.replaceAll('{tld}', tld)]] as const),
  )
}

/**
 * Opens IANA's directory of RDAP servers (RFC 9224) over the files at `url`, each read anew every 24 hours. Until one can be
 * read, and for 10 minutes after one could not, the last known state answers, at first the one that is built in.
 */
export const openBootstrap = ({ fetch, clock, url }: Settings): Bootstrap => {
  const directories = new Map<RegistryKind, Directory>()
  const refreshTimes = new Map<RegistryKind, number>()
  const reading = new Map<RegistryKind, Promise<void>>()

  const readDirectory = async (kind: RegistryKind): Promise<Directory> => {
    const { status, truncated, body } = await fetch(`${url}/${kind}.json`, {
      accept: 'application/json',
      maxBytes: 1 << 20,
      deadlineMs: patienceMs,
      namedBy: 'operator',
    })
    if (status !== 200 || truncated) throw new Error(`The file was answered with ${status}.`)
    return buildDirectory(kind, parseServices(body.toString()))
  }

  const refresh = async (kind: RegistryKind): Promise<void> => {
    try {
      directories.set(kind, await readDirectory(kind))
      refreshTimes.set(kind, clock.now().getTime() + fresh)
    } catch {
      if (!directories.has(kind)) directories.set(kind, buildDirectory(kind, await builtIn(kind)))
      refreshTimes.set(kind, clock.now().getTime() + pause)
    } finally {
      reading.delete(kind)
    }
  }

  return {
    async find(kind, key) {
      if ((refreshTimes.get(kind) ?? 0) <= clock.now().getTime()) {
        const running = reading.get(kind) ?? refresh(kind)
        reading.set(kind, running)
        await running
      }
      return directories.get(kind)?.(key)
    },
  }
}
