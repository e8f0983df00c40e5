import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { absoluteUrl, wholeNumber } from '../../lib/setting-texts.ts'

export const filesSettings = settings({
  folder: {
    variable: 'OCTAGENT_FILES',
    schema: z.string().min(1),
    description:
      'Folder of files that callers upload, by their hash. Several replicas need one that they share, or OCTAGENT_FILES_S3. Default: files in OCTAGENT_DATA.',
    example: '/var/lib/octagent/files',
  },
  maxMb: {
    variable: 'OCTAGENT_FILES_MAX_MB',
    schema: wholeNumber(1),
    description:
      'Megabytes that files may take together, in the folder or the bucket, uploads that are announced with them; what is beyond is refused.',
    default: '10000',
  },
  s3: {
    variable: 'OCTAGENT_FILES_S3',
    schema: absoluteUrl,
    description:
      'A bucket that speaks S3, with its path, instead of the folder. It must be at a public address.',
    example: 'https://s3.example.net/octagent-files',
  },
  s3Region: {
    variable: 'OCTAGENT_FILES_S3_REGION',
    schema: z.string().regex(/^[a-z0-9-]{1,40}$/, 'a region such as eu-central-1'),
    description: 'Region of the bucket.',
    default: 'us-east-1',
  },
  s3KeyId: {
    variable: 'OCTAGENT_FILES_S3_KEY_ID',
    schema: z.string().min(1),
    description: 'Access key id for the bucket; needed with OCTAGENT_FILES_S3.',
    secret: true,
  },
  s3Secret: {
    variable: 'OCTAGENT_FILES_S3_SECRET',
    schema: z.string().min(1),
    description: 'Secret access key for the bucket; needed with OCTAGENT_FILES_S3.',
    secret: true,
  },
})
