/** Returns the host of a URL, with a port other than the default; empty for an invalid URL. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? ''
