import { z } from 'zod'

export const sessionId = z.string().max(64).describe('Id of the session')
