import { collection } from '../../../kernel/collection.ts'
import type { Clock } from '../../../ports/clock/port.ts'
import type { Ports } from '../../../ports/ports.ts'
import type { Store } from '../../../ports/store/port.ts'
import { entriesIn, type openRecord, type RecordState } from './log.ts'
import {
  hashSnapshot,
  readSnapshot,
  type SignedStatement,
  type Snapshot,
  type SnapshotRow,
  signStatement,
} from './snapshot.ts'

const day = 86_400_000
/** The daily snapshots; each is written once and names the one before. */
export const snapshotsIn = collection<SnapshotRow>({
  name: 'forecast.snapshots',
  indexes: [{ name: 'day', fields: ['id'] }],
  archive: { afterHours: 24 },
  bounded: 'One a day.',
})

const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

export type SnapshotDeps = {
  store: Store
  clock: Clock
  sign: Ports['sign']
  record: ReturnType<typeof openRecord>
}

const loadLatest = async (store: Store): Promise<SnapshotRow | undefined> =>
  (await snapshotsIn(store).find({ index: 'day', order: 'desc', limit: 1 })).rows[0]

const toSnapshot = ({ at, size, root, calibration }: RecordState, previous: string | null): Snapshot => ({
  type: 'octagent-forecast-snapshot/1',
  as_of: at.toISOString(),
  tree_size: size,
  root,
  previous,
  calibration,
})

/** The record as it is now, signed; it names the latest daily snapshot as the one before. */
export const signNow = async ({
  store,
  sign,
  record,
}: Omit<SnapshotDeps, 'clock'>): Promise<SignedStatement> => {
  const latest = await loadLatest(store)
  const state = await record.state()
  return signStatement(sign, toSnapshot(state, latest ? hashSnapshot(latest) : null))
}

/** The start of the day of the first entry; undefined where the record is empty. */
const firstDay = async (store: Store): Promise<number | undefined> => {
  const first = await entriesIn(store).get('0'.padStart(12, '0'))
  return first && Date.parse(`${first.at.slice(0, 10)}T00:00:00.000Z`)
}

/** Writes a snapshot for each day that is over and has none, in order, from the day of the first entry on. */
export const takeSnapshots = async ({ store, clock, sign, record }: SnapshotDeps): Promise<void> => {
  const latest = await loadLatest(store)
  let start = latest ? Date.parse(`${latest.id}T00:00:00.000Z`) + day : await firstDay(store)
  let previous = latest ? hashSnapshot(latest) : null
  for (; start !== undefined && start + day <= clock.now().getTime(); start += day) {
    const at = new Date(start + day - 1)
    const statement = toSnapshot(await record.stateAt(at), previous)
    const row = { id: toDay(start), ...signStatement(sign, statement) }
    // Another replica may have been first: then its snapshot is the one to go on from.
    await snapshotsIn(store).insert(row)
    previous = hashSnapshot((await snapshotsIn(store).get(row.id)) ?? row)
  }
}

/** Snapshot of a day in a few numbers. */
export type RecordDay = {
  day: string
  brier: number | null
  brier_interval95: [number, number] | null
  scored: number
  registered: number
}

/** The last days of the record, the oldest first. */
export const recordDays = async (store: Store, count: number): Promise<RecordDay[]> => {
  const { rows } = await snapshotsIn(store).find({ index: 'day', order: 'desc', limit: count })
  return rows.reverse().map(row => {
    const { brier, brier_interval95, scored, predictions } = readSnapshot(row).calibration
    return { day: row.id, brier, brier_interval95, scored, registered: predictions.registered }
  })
}
