import type { Tx } from '../../../store/index.ts'

/** A file that is kept, by what it holds. */
export type StoredFile = { sha256: string; bytes: number }

/** Terms of one incoming file. */
export type Receiving = {
  /** More is refused while it streams. */
  maxBytes: number
  /** Refuses anything else: the SHA-256 that was promised, hexadecimal. */
  sha256?: string
  /** Sees the first bytes, up to 4 KiB, before anything is kept; throws to refuse the rest unread. */
  check?(head: Buffer): void
}

/** Incoming file whose hash is known beforehand. */
export type PromisedFile = Receiving & { sha256: string }

/** For whom an upload is announced, and until when it has its room. */
export type UploadHold = { until: Date; account: string }

/** Address for sending or fetching a file without passing through this program. */
export type DirectAddress = { url: string; headers: Readonly<Record<string, string>> }

/** Addresses of a store that answers for itself. */
export type DirectAddresses = {
  /** Takes exactly these bytes, by PUT, for so many seconds, and keeps them under a key until they are collected. */
  upload(key: string, file: StoredFile & { type: string }, seconds: number): DirectAddress
  /** Moves what was sent to a key among the files, as `put` would have taken it; undefined where nothing was sent. */
  collect(key: string, receiving: Receiving): Promise<StoredFile | undefined>
  /** Drops what was sent to a key. */
  discard(key: string): Promise<void>
  /** Gives them as an attachment of this name and media type. */
  download(file: StoredFile & { type: string; name: string }, seconds: number): DirectAddress
}

/** Storage of bytes, by their SHA-256: what is there is whole, and is never changed. */
export type FileStorage = {
  /** Keeps what streams in. Throws `too_large`, or `invalid_input` with the reason `hash_mismatch`; then nothing is kept. */
  put(chunks: AsyncIterable<Uint8Array>, receiving: Receiving): Promise<StoredFile>
  /** Undefined where there is none. */
  stat(sha256: string): Promise<StoredFile | undefined>
  /** The bytes from the first to the last of a range, all by default. Throws `not_found`. */
  read(sha256: string, range?: { start: number; end: number }): AsyncIterable<Uint8Array>
  /** Drops a file; one that is not there is no fault. */
  remove(sha256: string): Promise<void>
  /** Absent where files come and go through this program only. */
  direct?: DirectAddresses
}

/**
 * Files by the SHA-256 of their bytes, which several owners may have without knowing of each other: bytes go when nobody has them any
 * more. An owner is a name of a service's own, such as that of a row. Who brings bytes notes them with `keep` before, and
 * whoever had them first changes nothing for the others.
 */
export type Files = Omit<FileStorage, 'remove' | 'put' | 'direct'> & {
  /** Keeps what streams in, as storage does. Throws `unavailable` where there is no more room. */
  put(chunks: AsyncIterable<Uint8Array>, file: PromisedFile): Promise<StoredFile>
  direct?: Omit<DirectAddresses, 'collect'> & {
    collect(key: string, file: PromisedFile): Promise<StoredFile | undefined>
  }
  /**
   * Notes that an owner has a file, once for all times that it says so, and gives its bytes their room: with a hold until then or until
   * they came, else for good. Throws `conflict`, to be tried again at once, while the same bytes are being removed; `unavailable` where
   * there is no more room, and `too_many_requests` where the holds of an account or network have their share.
   */
  keep(tx: Tx, file: StoredFile, owner: string, hold?: UploadHold): Promise<void>
  /** Notes that an owner has a file no longer; one that it never had is no fault. */
  release(tx: Tx, sha256: string, owner: string): Promise<void>
  /** Removes the bytes that nobody has any more. */
  sweep(signal?: AbortSignal): Promise<void>
}
