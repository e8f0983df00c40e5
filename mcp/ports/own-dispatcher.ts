/**
 * Node's own fetch and the package undici share one global: whichever is loaded first puts its dispatcher there, and Node's
 * fetch does not get on with the other one's. Import this before undici, so that Node's own is there already.
 */
new Headers()
