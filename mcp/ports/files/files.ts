import { ToolError } from '../../kernel/error.ts'
import type { Clock } from '../clock/port.ts'
import type { Fetch } from '../fetch/port.ts'
import type { Store } from '../store/port.ts'
import { openFolder } from './folder.ts'
import { withOwners } from './owners.ts'
import type { FileStorage, Files } from './port.ts'
import { openS3 } from './s3.ts'

type FilesSettings = {
  folder: string
  maxMb: number
  s3?: string | undefined
  s3Region: string
  s3KeyId?: { reveal(): string } | undefined
  s3Secret?: { reveal(): string } | undefined
}

const openStorage = (
  { folder, s3, s3Region: region, s3KeyId: keyId, s3Secret }: FilesSettings,
  world: { fetch: Fetch; clock: Clock },
): FileStorage => {
  if (s3 === undefined) return openFolder(folder)
  if (keyId === undefined || s3Secret === undefined)
    throw new ToolError('unavailable', 'OCTAGENT_FILES_S3 needs a key.', {
      hint: 'Set OCTAGENT_FILES_S3_KEY_ID and OCTAGENT_FILES_S3_SECRET.',
    })
  return openS3({ url: s3, region, keyId: keyId.reveal(), secret: s3Secret.reveal() }, world)
}

/** Opens the files of an installation: in the bucket that is named, else in the folder. */
export const openFiles = (
  settings: FilesSettings,
  world: { fetch: Fetch; clock: Clock; store: Store },
): Files => withOwners(openStorage(settings, world), { ...world, maxBytes: settings.maxMb * 1_000_000 })
