import v8 from 'node:v8'

/**
 * Keeps the nursery, where V8 makes new objects, as small as it begins: most of what a start makes stays, and a nursery that
 * has grown to 32 MB is not given back.
 */
export const holdNursery = (): void => v8.setFlagsFromString('--semi-space-growth-factor=1')

/** Lets the nursery grow with the work, as it does by itself. */
export const releaseNursery = (): void => v8.setFlagsFromString('--semi-space-growth-factor=2')
