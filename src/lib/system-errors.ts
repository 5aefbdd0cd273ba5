/** Meanings of the operating system's error codes. */

/** Returns the code of an error of the system, or an empty string for other errors. */
export const errnoOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';

export const systemTexts: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'no such file or folder',
  EEXIST: 'a file of this name is in the way',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its links lead in a circle',
  ENXIO: 'it is a socket or a device, not a file',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file system cannot hold a file of this size',
  EMFILE: 'too many open files',
  EPIPE: 'the reader of the output is gone',
  EADDRINUSE: 'the address is in use',
  ECONNREFUSED: 'connection refused: nothing listens at that address',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'no such host',
  ETIMEDOUT: 'no answer in time',
};
