import { StoreFailure } from '../index.ts'

/** A place from here on is the number of an archived row; below it lies in the arena. */
export const archivedFrom = 0xe0000000

/** A record of the journal that puts a row, as bytes: where its id begins, in quotes, and where its text. */
export type Line = {
  bytes: Buffer
  start: number
  end: number
  idAt: number
  textAt: number
  isAscii: boolean
}

/** Says whether the line of a table with this hash still is where it was, and takes it to another place. */
export type Owner = {
  holds(hash: number, place: number): boolean
  move(hash: number, from: number, to: number): void
}

/** A line that is there, with what is needed to find it again: its table, hash and place, and the hour of the arena in which it was written. */
export type HeldLine = Line & { table: number; hash: number; place: number; hour: number }

type Page = { buffer: Buffer; words: Uint32Array; used: number; live: number }

/**
 * Rows as lines of the journal, in pages beside the heap. A line is written once and never changed; a place is a number,
 * never 0. What is forgotten leaves a hole, and a page of many holes is emptied into another.
 */
export type Arena = {
  /** Sets the time, in milliseconds: lines bear the hour in which they are written. */
  setTime(ms: number): void
  /** The hours of this arena up to a time. */
  hourAt(ms: number): number
  /** Numbers a table, whose lines may be moved from then on. Throws when there are 65,536 of them. */
  enroll(owner: Owner): number
  /** Writes a line of one table. `idAt` and `textAt` are in units of `text`, all of which are ASCII up to `textAt` unless said. */
  write(table: number, hash: number, text: string, idAt: number, textAt: number): number
  copy(table: number, hash: number, line: Line): number
  /** The line at a place, as long as nothing is written. */
  read(place: number): Line
  hash(place: number): number
  /** True when the quoted id at a place has exactly these bytes. */
  hasKey(place: number, key: string): boolean
  text(place: number): string
  length(place: number): number
  forget(place: number): void
  /** A line that was forgotten by a commit that is not durable is there again. */
  recall(place: number): void
  /** Empties one page of holes where there are many, and says whether it did; what it frees is used again once commit `lsn` is durable. */
  tidy(lsn: number, durable: number): boolean
  /** All lines that are there all the while, in slices: nothing is moved until it is over. */
  lines(): Generator<HeldLine>
  /** The line that a table found at this place, where it still has it there. */
  held(table: number, hash: number, place: number): Line | undefined
  /** The document of a line is found at another place from now on, which is not in the arena. */
  leave(table: number, hash: number, place: number, to: number): void
  /** Bytes of all pages. */
  bytes(): number
}

const pageBytes = 1 << 20
const unit = 8
const unitsPerPage = pageBytes / unit
const headBytes = 16
const asciiFlag = 0x80000000
const maxSpare = 4
/** Longer lines have pages of their own, lest they leave the end of one empty. */
const largeLine = pageBytes / 8
const minHoles = 2 << 20
const maxTables = 0x10000
const hourMs = 3_600_000
/** Hours told apart, at most, of what came from the files and may have been written before. */
const hoursBefore = 8192
const maxHour = 0xffff
/** The bytes of longer texts are counted before they are written. */
const longText = 16 << 10

const padToUnit = (bytes: number): number => (bytes + unit - 1) & -unit

/** Pages that hold nothing yet. */
export const openArena = (): Arena => {
  const pages: (Page | undefined)[] = [undefined]
  const freeNumbers: number[] = []
  const spare: Buffer[] = []
  const owners: Owner[] = []
  let retired: { number: number; lsn: number }[] = []
  const isRetired = new Set<number>()
  let current = 0
  let used = 0
  let live = 0
  let walks = 0
  let firstHour: number | undefined
  let hour = hoursBefore

  const hourAt = (ms: number): number => {
    firstHour ??= Math.floor(ms / hourMs) - hoursBefore
    return Math.min(maxHour, Math.max(0, Math.floor(ms / hourMs) - firstHour))
  }
  const pageOf = (place: number): Page => pages[Math.floor(place / unitsPerPage)] as Page
  const offsetOf = (place: number): number => (place % unitsPerPage) * unit
  const addPage = (bytes: number): number => {
    const buffer =
      bytes > largeLine
        ? Buffer.allocUnsafeSlow(padToUnit(bytes))
        : (spare.pop() ?? Buffer.allocUnsafeSlow(pageBytes))
    const number = freeNumbers.pop() ?? pages.length
    if ((number + 1) * unitsPerPage > archivedFrom)
      throw new StoreFailure('The store is full: its documents have as many pages as can be numbered.')
    pages[number] = { buffer, words: new Uint32Array(buffer.buffer), used: 0, live: 0 }
    return number
  }
  /** Room for a line; `number` is the page and `page.used` where the line begins. */
  const reserve = (bytes: number): { page: Page; number: number } => {
    const page = pages[current]
    if (page && page.used + headBytes + bytes <= page.buffer.length) return { page, number: current }
    const number = addPage(headBytes + bytes)
    const isLarge = headBytes + bytes > largeLine
    if (!isLarge) current = number
    return { page: pages[number] as Page, number }
  }
  const finish = (
    { page, number }: { page: Page; number: number },
    length: number,
    [isAscii, hash, table, idAt, textAt]: readonly [boolean, number, number, number, number],
  ): number => {
    const at = page.used
    const word = at >>> 2
    page.words[word] = isAscii ? length | asciiFlag : length
    page.words[word + 1] = hash
    page.words[word + 2] = idAt | (textAt << 16)
    page.words[word + 3] = table | (hour << 16)
    const bytes = padToUnit(headBytes + length)
    page.used += bytes
    page.live += bytes
    used += bytes
    live += bytes
    return number * unitsPerPage + at / unit
  }
  const lengthAt = (page: Page, at: number): number => ((page.words[at >>> 2] as number) & ~asciiFlag) >>> 0
  const lineAt = ({ buffer, words }: Page, at: number): Line => {
    const word = at >>> 2
    const length = words[word] as number
    const parts = words[word + 2] as number
    const start = at + headBytes
    return {
      bytes: buffer,
      start,
      end: start + ((length & ~asciiFlag) >>> 0),
      idAt: parts & 0xffff,
      textAt: parts >>> 16,
      isAscii: length >= asciiFlag,
    }
  }
  const tableAt = (page: Page, at: number): number => (page.words[(at >>> 2) + 3] as number) & 0xffff
  const hourOf = (page: Page, at: number): number => (page.words[(at >>> 2) + 3] as number) >>> 16
  /** Each part by its name: an object that is spread is made ten times as slowly, and there is one for each line of a checkpoint. */
  const heldLineAt = (page: Page, at: number, place: number): HeldLine => {
    const { bytes, start, end, idAt, textAt, isAscii } = lineAt(page, at)
    const table = tableAt(page, at)
    const hash = page.words[(at >>> 2) + 1] as number
    return { bytes, start, end, idAt, textAt, isAscii, table, hash, place, hour: hourOf(page, at) }
  }
  const copy: Arena['copy'] = (table, hash, { bytes, start, end, idAt, textAt, isAscii }) => {
    const room = reserve(end - start)
    bytes.copy(room.page.buffer, room.page.used + headBytes, start, end)
    return finish(room, end - start, [isAscii, hash, table, idAt, textAt])
  }
  const weigh = (place: number, sign: 1 | -1): void => {
    const page = pageOf(place)
    const bytes = sign * padToUnit(headBytes + lengthAt(page, offsetOf(place)))
    page.live += bytes
    live += bytes
  }
  const retire = (number: number, lsn: number): void => {
    if (number === current) current = 0
    isRetired.add(number)
    retired.push({ number, lsn })
  }
  const release = (number: number): void => {
    const page = pages[number] as Page
    isRetired.delete(number)
    if (page.live > 0) return
    used -= page.used
    pages[number] = undefined
    freeNumbers.push(number)
    if (page.buffer.length === pageBytes && spare.length < maxSpare) spare.push(page.buffer)
  }
  const empty = (number: number): void => {
    const page = pages[number] as Page
    for (let at = 0; at < page.used; at += padToUnit(headBytes + lengthAt(page, at))) {
      const hash = page.words[(at >>> 2) + 1] as number
      const table = tableAt(page, at)
      const place = number * unitsPerPage + at / unit
      const owner = owners[table]
      if (!owner?.holds(hash, place)) continue
      const to = copy(table, hash, lineAt(page, at))
      pageOf(to).words[(offsetOf(to) >>> 2) + 3] = page.words[(at >>> 2) + 3] as number
      owner.move(hash, place, to)
      weigh(place, -1)
    }
  }
  const fullestOfHoles = (): number => {
    let fullest = 0
    let most = 0
    for (let number = 1; number < pages.length; number++) {
      const page = pages[number]
      if (!page || number === current || isRetired.has(number)) continue
      const holes = page.used - page.live
      if (holes <= most) continue
      most = holes
      fullest = number
    }
    return fullest
  }
  return {
    setTime: ms => {
      hour = hourAt(ms)
    },
    hourAt,
    enroll: owner => {
      if (owners.length === maxTables) throw new Error('a store has 65,536 collections at most')
      return owners.push(owner) - 1
    },
    write: (table, hash, text, idAt, textAt) => {
      const room = reserve(text.length > longText ? Buffer.byteLength(text) : text.length * 3)
      const length = room.page.buffer.write(text, room.page.used + headBytes)
      return finish(room, length, [length === text.length, hash, table, idAt, textAt])
    },
    copy,
    read: place => lineAt(pageOf(place), offsetOf(place)),
    hash: place => pageOf(place).words[(offsetOf(place) >>> 2) + 1] as number,
    hasKey: (place, key) => {
      const { buffer, words } = pageOf(place)
      const at = offsetOf(place)
      const parts = words[(at >>> 2) + 2] as number
      const start = at + headBytes + (parts & 0xffff)
      if ((parts >>> 16) - (parts & 0xffff) - 1 !== key.length) return false
      for (let byte = 0; byte < key.length; byte++)
        if (buffer[start + byte] !== key.charCodeAt(byte)) return false
      return true
    },
    text: place => {
      const { bytes, start, end, textAt, isAscii } = lineAt(pageOf(place), offsetOf(place))
      return bytes.toString(isAscii ? 'latin1' : 'utf8', start + textAt, end - 1)
    },
    length: place => lengthAt(pageOf(place), offsetOf(place)),
    forget: place => weigh(place, -1),
    recall: place => weigh(place, 1),
    tidy: (lsn, durable) => {
      if (retired.length > 0 && (retired[0]?.lsn ?? 0) <= durable) {
        const due = retired.filter(one => one.lsn <= durable)
        retired = retired.filter(one => one.lsn > durable)
        for (const { number } of due) release(number)
      }
      if (walks > 0 || used - live < minHoles) return false
      const pending = retired.reduce((sum, { number }) => sum + (pages[number]?.used ?? 0), 0)
      const holes = used - live - pending
      if (holes < minHoles || holes * 4 < used - pending) return false
      const number = fullestOfHoles()
      if (number === 0) return false
      empty(number)
      retire(number, lsn)
      return true
    },
    *lines() {
      walks++
      try {
        const ends = pages.map(page => page && { page, end: page.used })
        for (const [number, one] of ends.entries()) {
          if (!one) continue
          const { page, end } = one
          for (
            let at = 0;
            at < end && pages[number] === page;
            at += padToUnit(headBytes + lengthAt(page, at))
          ) {
            const table = tableAt(page, at)
            const hash = page.words[(at >>> 2) + 1] as number
            const place = number * unitsPerPage + at / unit
            if (owners[table]?.holds(hash, place)) yield heldLineAt(page, at, place)
          }
        }
      } finally {
        walks--
      }
    },
    held: (table, hash, place) => {
      if (!owners[table]?.holds(hash, place)) return undefined
      return lineAt(pageOf(place), offsetOf(place))
    },
    leave: (table, hash, place, to) => {
      owners[table]?.move(hash, place, to)
      weigh(place, -1)
    },
    bytes: () => pages.reduce((sum, page) => sum + (page?.buffer.length ?? 0), 0),
  }
}
