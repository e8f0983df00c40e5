import { collection } from '../../../kernel/collection.ts'

/** A registration that came with a key and can be repeated; `id` is a digest of the client and its key. */
type Registration = { id: string; account: string }

export const registrationsIn = collection<Registration>({
  name: 'broker.registrations',
  bounded: 'One for each account that a repeatable registration made.',
})
