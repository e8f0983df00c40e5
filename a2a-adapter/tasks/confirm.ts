import type { Incoming, World } from '../../mcp/kernel/call.ts'
import type { Service } from '../../mcp/kernel/service.ts'
import type { Caller } from '../../mcp/kernel/tool.ts'
import { openContexts } from './context.ts'
import { awaitsConfirmation, change, type TaskRow, taskRows } from './row.ts'
import { openTaskStore, type TaskStore } from './store.ts'
import { computeDeadline, work } from './work.ts'

const batch = 100
/** Milliseconds after which another try begins where the process of this one died. */
const leaseMs = 60_000

const toOwner = ({ owner, via }: TaskRow): Caller | undefined =>
  owner !== null && via !== undefined && via !== 'public' ? { id: owner, via } : undefined

/** The service to the owner of a task, who was proven when the task began; a signature that may be used once was used. */
const asOwner = (service: Service, row: TaskRow): Pick<Incoming, 'credentials'> & { service: Service } => {
  const caller = toOwner(row)
  if (!caller || caller.via === 'public') return { service, credentials: {} }
  const identify = { [caller.via]: { needs: [], run: async () => caller } }
  return { service: { ...service, identify }, credentials: { [caller.via]: row.id } }
}

const goOn = async (taskStore: TaskStore, row: TaskRow, record: string): Promise<void> => {
  const { service, credentials } = asOwner(taskStore.service, row)
  const tool = service.tools.find(({ name }) => name === row.tool)
  if (!tool) return
  const until = new Date(taskStore.now().getTime() + leaseMs).toISOString()
  const { row: claimed, won } = await change(
    taskStore.store,
    row.id,
    before => awaitsConfirmation(before) && before.confirm === row.confirm,
    before => ({ ...before, confirm: until, deadline: computeDeadline(tool, true, taskStore.now()) }),
  )
  if (!claimed || !won) return
  await work(taskStore, service, claimed, tool, {
    channel: 'a2a',
    input: claimed.input,
    credentials,
    request: { method: 'POST', url: '/', headers: {}, digest: () => '' },
    client: row.owner ?? row.client ?? row.id,
    resource: `a2a://${service.slug}/${tool.name}`,
    evidence: { headers: {}, meta: {}, record },
    task: row.id,
  })
}

/**
 * Goes on with tasks whose payment is being confirmed and whose time to look again has come, so that they complete while their
 * clients only read them. Safe to run on every replica.
 */
export const confirmTasks = async (
  world: World,
  services: readonly Service[],
  signal: AbortSignal,
): Promise<void> => {
  const { store, clock } = world.ports
  if (!store || !clock) return
  const contexts = openContexts(world)
  const stores = new Map(services.map(service => [service.slug, openTaskStore(world, service, contexts)]))
  const where = { confirm: { gt: '', lt: clock.now().toISOString() } }
  const { rows } = await taskRows(store).find({ index: 'confirm', where, limit: batch })
  for (const row of rows) {
    const taskStore = stores.get(row.service)
    if (signal.aborted) return
    if (taskStore && row.payment && awaitsConfirmation(row)) await goOn(taskStore, row, row.payment.record)
  }
}
