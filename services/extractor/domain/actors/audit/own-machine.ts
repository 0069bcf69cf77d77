/** Addresses that are reachable only from the author's machine or network. */
const names = /^(?:localhost|.+\.(?:localhost|local|localdomain|internal))$/
const addresses =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|0\.0\.0\.0$|172\.(?:1[6-9]|2\d|3[01])\.|\[::1\]$|\[f[cd][0-9a-f]{2}:)/

export const isOwnMachine = ({ hostname }: Pick<URL, 'hostname'>): boolean =>
  names.test(hostname) || (addresses.test(hostname) && /^[\d.[\]:a-f]+$/.test(hostname))
