// Lets `fetch` connect: it asks for TCP_KEEPIDLE, which Wine 8 does not know, and Node then gives the connection up.
const { Socket } = require('node:net');

Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this;
};
