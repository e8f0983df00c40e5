import { crc32 } from 'node:zlib'
import type { DiskFile } from './disk.ts'
import type { Slices } from './slices.ts'

const head = 18
/** Bytes of a frame before its payload. */
export const frameHead = head
const chunk = 1 << 20
const hex = (value: number): string => value.toString(16).padStart(8, '0')

/** One checksummed piece of a file and where it stands: `at` its first byte, `next` the one behind it. */
export type Frame = { at: number; next: number; payload: Buffer }

/**
 * Frames a payload: 8 hex digits of its length, 8 of its CRC32, each with a space, the payload, a line feed. `salt`
 * seeds the CRC, so that text that a caller stores can never pass for a frame.
 */
export const encodeFrame = (payload: string | Buffer, salt: number): Buffer => {
  const body = typeof payload === 'string' ? Buffer.from(payload) : payload
  const frame = Buffer.allocUnsafe(head + body.length + 1)
  frame.write(`${hex(body.length)} ${hex(crc32(body, salt))} `, 0, 'latin1')
  body.copy(frame, head)
  frame[head + body.length] = 10
  return frame
}

/** A frame that grows: bytes of lines and texts, behind room for its head and the line that says what it is. */
export type Piece = {
  buffer: Buffer
  add(line: { bytes: Buffer; start: number; end: number }): void
  addText(text: string): void
  /** Bytes of records. */
  bytes(): number
  /** The frame with this first line. It lies in the buffer of the piece. */
  seal(header: object, salt: number): Buffer
}

const room = 128

/** An empty piece with a buffer of its own, or with that of another which is done with. */
export const openPiece = (bytes: number, done?: Piece): Piece => {
  let end = room
  const ensure = (more: number): void => {
    if (end + more + 1 <= piece.buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * piece.buffer.length, end + more + 1))
    piece.buffer.copy(larger, 0, 0, end)
    piece.buffer = larger
  }
  const piece: Piece = {
    buffer: done?.buffer ?? Buffer.allocUnsafeSlow(room + bytes),
    add: line => {
      ensure(line.end - line.start)
      line.bytes.copy(piece.buffer, end, line.start, line.end)
      end += line.end - line.start
    },
    addText: text => {
      ensure(text.length * 3)
      end += piece.buffer.write(text, end)
    },
    bytes: () => end - room,
    seal: (header, salt) => {
      const first = `${JSON.stringify(header)}\n`
      const start = room - first.length
      piece.buffer.write(first, start, 'latin1')
      const body = piece.buffer.subarray(start, end)
      piece.buffer.write(`${hex(body.length)} ${hex(crc32(body, salt))} `, start - head, 'latin1')
      piece.buffer[end] = 10
      return piece.buffer.subarray(start - head, end + 1)
    },
  }
  return piece
}

const number = (buffer: Buffer, start: number): number => {
  const text = buffer.toString('latin1', start, start + 8)
  return buffer[start + 8] === 32 && /^[0-9a-f]{8}$/.test(text) ? Number.parseInt(text, 16) : Number.NaN
}

/** The payload of the frame at `start`; undefined where no whole one is. */
export const decodeFrame = (buffer: Buffer, start: number, salt: number): Buffer | undefined => {
  const end = start + head + number(buffer, start)
  if (!(end < buffer.length) || buffer[end] !== 10) return undefined
  const payload = buffer.subarray(start + head, end)
  return crc32(payload, salt) === number(buffer, start + 9) ? payload : undefined
}

/** Hands each good frame from `from` on to `onFrame`, one after the other. Returns the offset where good frames end. */
export const readFrames = async (
  file: DiskFile,
  from: number,
  salt: number,
  onFrame: (frame: Frame) => Promise<void> | void,
): Promise<number> => {
  const size = await file.size()
  let window: Buffer = Buffer.alloc(0)
  let start = 0
  let at = from
  const ensureBuffered = async (length: number): Promise<boolean> => {
    if (at + length > size) return false
    if (window.length - start >= length) return true
    window = await file.read(at, Math.min(Math.max(length, chunk), size - at))
    start = 0
    return window.length >= length
  }
  while (await ensureBuffered(head)) {
    const length = number(window, start)
    if (Number.isNaN(length) || !(await ensureBuffered(head + length + 1))) return at
    const payload = decodeFrame(window, start, salt)
    if (!payload) return at
    const next = at + head + length + 1
    const pendingWork = onFrame({ at, next, payload })
    if (pendingWork) await pendingWork
    start += next - at
    at = next
  }
  return at
}

/** The offset of the first good frame behind `from`, which is not one: then what lies between was damaged later. */
export const goodFrameAfter = async (
  file: DiskFile,
  from: number,
  salt: number,
  slices: Slices,
): Promise<number | undefined> => {
  const rest = await file.read(from, (await file.size()) - from)
  for (let start = 1; start + head < rest.length; start++) {
    const turn = start % 4096 === 0 ? slices.spend(4096) : undefined
    if (turn) await turn
    if (rest[start + 8] !== 32 || rest[start + 17] !== 32) continue
    if (decodeFrame(rest, start, salt)) return from + start
  }
  return undefined
}
