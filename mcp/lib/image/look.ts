import { differenceHash } from './difference-hash.ts'
import { type Exif, readExif } from './exif.ts'
import { decodeLuma } from './luma.ts'

/** Facts of an image: what it says of itself, its size, and its look; null where nothing can be told. */
export type ImageLook = {
  exif: Exif | null
  width: number | null
  height: number | null
  hash: string | null
}

/** This module, for a worker. */
export const imageWorker = import.meta.url

/** Looks at a JPEG or PNG. It takes seconds and hundreds of megabytes for a large one: run it in a worker. */
export const lookAtImage = async (input: Uint8Array): Promise<ImageLook> => {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength)
  const exif = readExif(bytes)
  const image = await decodeLuma(bytes)
  if (!image) return { exif, width: null, height: null, hash: null }
  return { exif, width: image.width, height: image.height, hash: differenceHash(image) ?? null }
}
