import type { Client, PoolConfig } from 'pg'

export type Listener = { close(): Promise<void> }

const pingMs = 15_000
const maxPauseMs = 5_000

/**
 * Holds one connection that listens on `channel`. After each connect, also the first, it calls `onConnected`, because
 * what was said meanwhile is lost. A connection that is lost, or silent when pinged, is replaced until `close`.
 */
export const listen = (
  config: PoolConfig,
  channel: string,
  onMessage: (payload: string) => void,
  onConnected: () => void,
): Listener => {
  let client: Client | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let closed = false

  const later = (work: () => void, ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(work, ms)
  }
  const onLoss = (which: Client) => {
    if (client !== which) return
    client = undefined
    which.end().catch(() => undefined)
    if (closed) return
    failures += 1
    later(open, Math.random() * Math.min(maxPauseMs, 50 * 2 ** Math.min(failures, 10)))
  }
  const ping = (which: Client) => {
    const silent = setTimeout(() => onLoss(which), 5_000)
    which
      .query('SELECT 1')
      .then(
        () => later(() => ping(which), pingMs),
        () => onLoss(which),
      )
      .finally(() => clearTimeout(silent))
  }
  const open = async () => {
    const { default: pg } = await import('pg')
    if (closed) return
    const newClient = new pg.Client(config)
    client = newClient
    newClient.on('error', () => onLoss(newClient))
    newClient.on('end', () => onLoss(newClient))
    newClient.on('notification', ({ payload }) => onMessage(payload ?? ''))
    try {
      await newClient.connect()
      await newClient.query(`LISTEN ${channel}`)
    } catch {
      onLoss(newClient)
      return
    }
    if (client !== newClient) return
    failures = 0
    onConnected()
    later(() => ping(newClient), pingMs)
  }
  void open()

  return {
    close: async () => {
      closed = true
      clearTimeout(timer)
      const last = client
      client = undefined
      await last?.end().catch(() => undefined)
    },
  }
}
