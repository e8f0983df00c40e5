import { existsSync } from 'node:fs'
import { readConfig } from '../app/config.ts'
import { services } from '../app/services.ts'
import { moveAccounts } from '../mcp/accounts/move.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { listOutdated, upgradeDocuments } from '../mcp/kernel/upgrade.ts'
import type { Place } from '../store/copy/move.ts'
import type { Store } from '../store/index.ts'
import { readArguments } from './arguments.ts'
import { ownPlace } from './backup.ts'
import { isInUse, schema, toPlace } from './migrate.ts'
import { toTable } from './table.ts'

type Change = { what: string; rows: number }

const openPlace = async (place: Place): Promise<Store> =>
  'url' in place
    ? (await import('../store/postgres/open.ts')).openPostgres({ url: place.url, schema })
    : (await import('../store/embedded/open.ts')).openEmbedded({ dir: place.dir })

const listChanges = async (store: Store): Promise<Change[]> => {
  const changes: Change[] = []
  const onMoved = (what: string, rows: number) => void changes.push({ what, rows })
  await moveAccounts(store, { now: new Date(), dryRun: true, onMoved })
  for (const { collection, from, to, rows } of await listOutdated(store))
    if (rows > 0) onMoved(`${collection}, version ${from} to ${to}`, rows)
  return changes
}

const makeChanges = async (store: Store): Promise<Change[]> => {
  const changes: Change[] = []
  const onMoved = (what: string, rows: number) => void changes.push({ what, rows })
  await moveAccounts(store, { now: new Date(), onMoved })
  await upgradeDocuments(store, { onMoved })
  return changes
}

/**
 * `octagent upgrade [--check] [--from <store>]`: brings what earlier versions stored to this one, as a start does, or with `--check` only says
 * what would change. `--from` is a data folder such as a backup, or PostgreSQL; without it, the store of this configuration.
 */
export const upgrade = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, { from: { type: 'string' }, check: { type: 'boolean' } } as const)
  const config = readConfig(process.env, services)
  const place = values.from === undefined ? ownPlace(config) : toPlace('from', values.from, config)
  if ('dir' in place && !existsSync(place.dir))
    throw new ToolError('invalid_input', `${place.name} holds no store.`, {
      hint: 'Set OCTAGENT_DATA, or say --from with a data folder or a backup.',
    })
  const store = await openPlace(place).catch((cause: unknown) => {
    if (!isInUse(cause)) throw cause
    throw new ToolError('conflict', `A server has ${place.name} open.`, {
      hint: 'Stop it, or look at a backup: octagent upgrade --check --from <backup>',
    })
  })
  const changes = await (values.check ? listChanges(store) : makeChanges(store)).finally(() => store.close())
  if (values.json) {
    console.log(JSON.stringify({ from: place.name, changed: !values.check, changes }, null, 2))
    return 0
  }
  if (changes.length === 0) {
    console.log(`${place.name} is of this version: nothing ${values.check ? 'would change' : 'has changed'}.`)
    return 0
  }
  console.log(toTable([['what', 'rows'], ...changes.map(({ what, rows }) => [what, String(rows)])]))
  console.log(
    values.check
      ? `\nNothing was changed. Stop every server of ${place.name}, make a backup, then: octagent upgrade, or start.`
      : `\n${place.name} is of this version now; earlier ones do not read it any more.`,
  )
  return 0
}
