import { connect, type Socket } from 'node:net'

/** Opens a connection whose faults are the other side's business. */
export const dial = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  await new Promise(connected => socket.once('connect', connected))
  return socket
}

export type Said = { status: number; headers: Record<string, string>; body: string; all: string }

const parse = (all: string): Said => {
  const [head = '', ...rest] = all.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map(line => [
    line.split(':')[0]?.toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
    all,
  }
}

/** Sends bytes as they stand and reads until the server closes, or for `ms` without news. */
export const exchange = async (
  url: string,
  bytes: string | readonly string[],
  ms = 3000,
): Promise<Said & { closed: boolean }> => {
  const socket = await dial(url)
  let all = ''
  socket.on('data', chunk => {
    all += chunk
  })
  const end = new Promise<boolean>(resolve => {
    socket.once('end', () => resolve(true))
    socket.once('close', () => resolve(true))
    socket.setTimeout(ms, () => resolve(false))
  })
  for (const part of [bytes].flat()) socket.write(part)
  const closed = await end
  socket.destroy()
  return { ...parse(all), closed }
}
