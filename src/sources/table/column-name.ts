/** Which names of columns messages may show: a damaged line can make a name of a part of a hash. */
const likely = /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N} _.,:@/()[\]#?&'-]{0,63}$/u;
/** Letters and digits as in hex and base64; words of a name have few digits. */
const encoded = /(?=(?:[A-Za-z+/=]*\d){3})[A-Za-z\d+/=]{20,}/;

export const isColumnName = (name: string): boolean => likely.test(name) && !encoded.test(name);
