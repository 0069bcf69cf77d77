/** Returns the host of an address, with its port where that is not the default; empty where the address is none. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? ''
