import '../own-dispatcher.ts'
import type { WebSocket } from 'undici'
import type { KeptSocket, Sockets } from './port.ts'

const firstPauseMs = 250
const maxPauseMs = 30_000
const defaultSilenceMs = 60_000

/** Longer messages are dropped unread. */
const maxLength = 1 << 20

type Handlers = Parameters<Sockets['keep']>[1]

type Timer = ReturnType<typeof setTimeout>

const startTimer = (work: () => void, ms: number): Timer => {
  const timer = setTimeout(work, ms)
  timer.unref()
  return timer
}

const keep = (url: string, { onOpen, onMessage, silenceMs = defaultSilenceMs }: Handlers): KeptSocket => {
  let socket: WebSocket | undefined
  let pause: Timer | undefined
  let watch: Timer | undefined
  let isOver = false
  let failures = 0
  let isOpen = false

  const retry = (broken: WebSocket | undefined) => {
    if (isOver || (broken && broken !== socket)) return
    socket = undefined
    isOpen = false
    clearTimeout(watch)
    clearTimeout(pause)
    // Replicas that lost the same server do not come back as one.
    const ms = Math.min(firstPauseMs * 2 ** failures++, maxPauseMs) * (0.5 + Math.random() / 2)
    pause = startTimer(() => void open(), ms)
  }

  const expectWords = (current: WebSocket) => {
    clearTimeout(watch)
    watch = startTimer(() => {
      retry(current)
      current.close()
    }, silenceMs)
  }

  const open = async () => {
    const { WebSocket } = await import('undici')
    if (isOver) return
    const current = new WebSocket(url)
    socket = current
    const send = (text: string) => {
      if (current.readyState === WebSocket.OPEN) current.send(text)
    }
    expectWords(current)
    current.addEventListener('open', () => {
      if (current !== socket) return
      isOpen = true
      expectWords(current)
      onOpen(send)
    })
    current.addEventListener('message', ({ data }) => {
      if (current !== socket || typeof data !== 'string' || data.length > maxLength) return
      failures = 0
      expectWords(current)
      onMessage(data, send)
    })
    current.addEventListener('error', () => retry(current))
    current.addEventListener('close', () => retry(current))
  }

  void open().catch(() => retry(undefined))
  return {
    isOpen: () => isOpen,
    close() {
      isOver = true
      clearTimeout(pause)
      clearTimeout(watch)
      socket?.close()
      socket = undefined
      isOpen = false
    },
  }
}

/** Opens the port for WebSockets. Nothing is loaded before the first one; closing it closes all. */
export const openSockets = (): Sockets & { close(): void } => {
  const all = new Set<KeptSocket>()
  return {
    keep(url, on) {
      const connection = keep(url, on)
      const entry = {
        ...connection,
        close() {
          all.delete(entry)
          connection.close()
        },
      }
      all.add(entry)
      return entry
    },
    close() {
      for (const socket of [...all]) socket.close()
    },
  }
}
