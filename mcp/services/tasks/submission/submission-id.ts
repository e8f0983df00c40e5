import { z } from 'zod'

export const submissionId = z.string().max(64).describe('Id of the submission')
