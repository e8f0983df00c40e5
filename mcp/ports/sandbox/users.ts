import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/** Between the users of systemd-homed and those of DynamicUser (systemd: "Users, Groups, UIDs and GIDs"), below 65,536. */
const firstUser = 60_706
const lastUser = 61_183
const users = lastUser - firstUser + 1

/** The user of the next run: not one that was just used, whose processes the kernel may still be ending and counting. */
let next = randomInt(users)

/** An abstract socket is one process's, on the whole machine, and goes with it however that ends. Undefined where it is another's. */
const claim = (user: number): Promise<Server | undefined> =>
  new Promise(resolve => {
    const server = createServer(socket => socket.destroy())
    server.once('error', () => resolve(undefined))
    server.listen(`\0octagent-user-${user}`, () => resolve(server))
  })

/**
 * Does something as a user that nothing else runs as meanwhile, not in another installation on this machine either. Only root can
 * start anything as somebody else: undefined without it.
 */
export const asOwnUser = async <T>(work: (user: number | undefined) => Promise<T>): Promise<T> => {
  if (process.getuid?.() !== 0) return work(undefined)
  for (let tried = 0; tried < users; tried++) {
    const user = firstUser + next
    next = (next + 1) % users
    const claimed = await claim(user)
    if (!claimed) continue
    try {
      return await work(user)
    } finally {
      claimed.close()
    }
  }
  throw new Error('No user is left to run code as.')
}
