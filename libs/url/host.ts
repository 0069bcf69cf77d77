/**
 * Returns the host of an address with its port unless that is the default, or the empty string if the address is
 * invalid.
 */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? ''
