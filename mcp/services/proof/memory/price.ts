import { type Price, sats } from '../../../kernel/tool.ts'

const kilobyte = 1000

const kilobytes = (bytes: number): number => Math.ceil(bytes / kilobyte)

/** 2 sats for each kB begun, 50 at least. */
export const storePrice = (bytes: number): Price => sats(String(Math.max(50, 2 * kilobytes(bytes))))

/** 1 sat for each kB begun, 20 at least. */
export const getPrice = (bytes: number): Price => sats(String(Math.max(20, kilobytes(bytes))))
