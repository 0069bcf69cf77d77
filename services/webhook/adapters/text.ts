/** Postgres keeps no NUL in text; an address that somebody gave us may have one. */
export const textOf = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text)
