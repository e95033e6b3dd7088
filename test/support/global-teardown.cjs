module.exports = () => globalThis.sharedPostgres?.stop();
